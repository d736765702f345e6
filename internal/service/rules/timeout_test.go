package rules_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

// expire processes the operations whose deadline has passed, and checks their number.
func (fx *fixture) expire(want int) {
	fx.t.Helper()
	late, err := fx.store.LateOperations(fx.ctx, fx.now, 1000, nil)
	if err != nil || len(late) != want {
		fx.t.Fatalf("at %s: got %d late operations, %v, want %d", fx.now, len(late), err, want)
	}
	fx.must(fx.m.Expire(fx.ctx))
}

// A partner that is asked again gets only the last request of the operation.
func TestThePartnerIsAskedAgainAndThenTheOperationTimesOut(t *testing.T) {
	fx := newFixture(t, 10, func(o *servicetest.Options) { o.MaxAttempts = 3 })
	fx.active(1, playBasic)
	fx.do(domain.RequestSuspend, playBasic, 1)
	for asked, wait := range []time.Duration{24 * time.Hour, 48 * time.Hour, 96 * time.Hour} {
		requests, err := claim(fx.ctx, fx.m, domain.PartnerDelivery, 10, time.Second) // and does not deliver
		if err != nil || len(requests) != 1 || requests[0].Sequence != asked+1 {
			t.Errorf("got %+v, %v, want request %d alone", requests, err, asked+1)
		}
		fx.now = fx.now.Add(wait - time.Second)
		fx.expire(0)
		fx.now = fx.now.Add(time.Second)
		fx.expire(1)
	}
	fx.wantStatus(1, playBasic, domain.InError)
	fx.confirm(1, playBasic, true) // late
	fx.wantStatus(1, playBasic, domain.Suspended)
}

// A command without the server's settings raises the limit, and a server gets the setting while
// activations are in progress.
func TestActivationsBegunWithoutTheSettingTimeOutToo(t *testing.T) {
	fx := newFixture(t, 60, func(o *servicetest.Options) { o.ActivationTTL = 72 * time.Hour })
	command := servicetest.New(fx.store, servicetest.Options{Clock: fx.options.Clock})
	server := fx.m
	fx.m = command
	fx.register(1, 61, playBasic) // the last is queued
	fx.now = fx.now.Add(time.Hour)
	fx.must(errorOf(command.SetLimit(fx.ctx, fx.p.Name, 61)))
	fx.m = server
	fx.must(fx.m.SetActivationDeadlines(fx.ctx))
	fx.now = fx.now.Add(71*time.Hour - time.Second)
	fx.expire(0)
	fx.now = fx.now.Add(time.Second)
	fx.expire(60) // 72 hours after the import
	fx.wantStatus(1, playBasic, domain.InError)
	fx.now = fx.now.Add(time.Hour)
	fx.expire(1) // 72 hours after the promotion
	fx.wantStatus(61, playBasic, domain.InError)
	fx.check(t)
}

// A deferred operation begins when a command confirms the previous one. Its time-out is the server's,
// not the command's.
func TestAnOperationBegunByACommandWaitsAsTheServerSays(t *testing.T) {
	fx := newFixture(t, 10, func(o *servicetest.Options) { o.ConfirmTimeout, o.MaxAttempts = time.Hour, 1 })
	command := servicetest.New(fx.store, servicetest.Options{Clock: fx.options.Clock, LeaveRequests: true})
	fx.active(1, playBasic)
	fx.suspended(1, playBasic)
	fx.do(domain.RequestActivate, playBasic, 1)
	fx.do(domain.RequestOverdue, playBasic, 1)
	fx.do(domain.RequestSettle, playBasic, 1) // cancels what was deferred
	if got := fx.service(1, playBasic).Deferred; got != 0 {
		t.Errorf("got %s deferred after the settlement, want nothing", got)
	}
	fx.do(domain.RequestOverdue, playBasic, 1)
	fx.do(domain.RequestActivate, playBasic, 1) // changes nothing
	fx.must(command.Resolve(fx.ctx, fx.service(1, playBasic).Operation, true, ""))
	fx.wantStatus(1, playBasic, domain.WaitingSuspensionDueToOverdue)
	stopped, cancel := context.WithCancel(fx.ctx)
	cancel()
	if err := fx.m.Expire(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the late operations could not be read", err)
	}
	deliveries := fx.provider().Deliveries
	fx.expire(1) // requested
	if got := fx.provider().Deliveries - deliveries; got != 1 {
		t.Errorf("got %d requests, want 1", got)
	}
	fx.now = fx.now.Add(time.Hour - time.Second)
	fx.expire(0)
	fx.now = fx.now.Add(time.Second)
	fx.expire(1)
	fx.wantStatus(1, playBasic, domain.InError)
	fx.check(t)
}

// A deferred operation waits for the end of one operation. If that fails, the next does not begin it.
func TestAFailureEndsWhatWasDeferred(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(domain.RequestSuspend, playBasic, 1)
	fx.do(domain.RequestOverdue, playBasic, 1)
	fx.confirm(1, playBasic, false)
	fx.do(domain.RequestActivate, playBasic, 1)
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, domain.Active)
}

// A server that was paused past its lease does not fail an operation that another server has
// delivered.
func TestARefusalAfterTheLeaseFailsNothing(t *testing.T) {
	fx := newFixture(t, 1)
	fx.register(1, 1, playBasic)
	paused, err := claim(fx.ctx, fx.m, domain.EmailDelivery, 1, time.Minute)
	fx.must(err)
	fx.now = fx.now.Add(time.Minute)
	link := fx.mails()[doc(1)] // the other server sends it
	fx.must(fx.m.FailRefused(fx.ctx, paused[0].Delivery))
	fx.wantStatus(1, playBasic, domain.InProgress)
	if got := fx.delivery(domain.EmailDelivery); got.State != domain.OutboxDone {
		t.Errorf("got the delivery %s, want done", got.State)
	}
	fx.wantLink(link, rules.LinkDone)
}
