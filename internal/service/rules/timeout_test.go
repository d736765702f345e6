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

func TestThePartnerIsAskedAgainAndThenTheOperationTimesOut(t *testing.T) {
	fx := newFixture(t, 10, func(o *servicetest.Options) { o.MaxAttempts = 3 })
	fx.active(1, playBasic)
	fx.do(domain.RequestSuspend, playBasic, 1)
	for ask, wait := range []time.Duration{24 * time.Hour, 48 * time.Hour, 96 * time.Hour} {
		fx.now = fx.now.Add(wait - time.Second)
		if n, err := fx.m.Expire(fx.ctx); err != nil || n != 0 {
			t.Fatalf("ask %d, a second early: got %d, %v, want 0", ask, n, err)
		}
		fx.now = fx.now.Add(time.Second)
		if n, err := fx.m.Expire(fx.ctx); err != nil || n != 1 {
			t.Fatalf("ask %d: got %d, %v, want 1", ask, n, err)
		}
	}
	fx.wantStatus(1, playBasic, domain.InError)
	fx.confirm(1, playBasic, true) // late
	fx.wantStatus(1, playBasic, domain.Suspended)
}

func TestAnActivationTimesOutOnlyWhenASettingSaysSo(t *testing.T) {
	for _, c := range []struct {
		ttl  time.Duration
		want domain.Status
	}{{0, domain.InProgress}, {72 * time.Hour, domain.InError}} {
		fx := newFixture(t, 10, func(o *servicetest.Options) { o.ActivationTTL = c.ttl })
		fx.register(1, 1, playBasic)
		fx.now = fx.now.Add(73 * time.Hour)
		_, err := fx.m.Expire(fx.ctx)
		fx.must(err)
		fx.wantStatus(1, playBasic, c.want)
	}
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
	_, err := command.SetLimit(fx.ctx, fx.p.Name, 61)
	fx.must(err)
	fx.m = server
	expire := func(want int) {
		t.Helper()
		fx.must(fx.m.SetActivationDeadlines(fx.ctx))
		if n, err := fx.m.Expire(fx.ctx); err != nil || n != want {
			t.Fatalf("at %s: got %d late operations, %v, want %d", fx.now, n, err, want)
		}
	}
	fx.now = fx.now.Add(71*time.Hour - time.Second)
	expire(0)
	fx.now = fx.now.Add(time.Second)
	expire(60) // 72 hours after the import
	fx.wantStatus(1, playBasic, domain.InError)
	fx.now = fx.now.Add(time.Hour)
	expire(1) // 72 hours after the promotion
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
	expire := func(want int) {
		t.Helper()
		if n, err := fx.m.Expire(fx.ctx); err != nil || n != want {
			t.Fatalf("at %s: got %d late operations, %v, want %d", fx.now, n, err, want)
		}
	}
	stopped, cancel := context.WithCancel(fx.ctx)
	cancel()
	if _, err := fx.m.Expire(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the late operations could not be read", err)
	}
	jobs := fx.provider().Jobs
	expire(1) // requested
	if got := fx.provider().Jobs - jobs; got != 1 {
		t.Errorf("got %d requests, want 1", got)
	}
	fx.now = fx.now.Add(time.Hour - time.Second)
	expire(0)
	fx.now = fx.now.Add(time.Second)
	expire(1)
	fx.wantStatus(1, playBasic, domain.InError)
	fx.check(t)
}

// A server that was paused past its lease does not fail an operation that another server has
// delivered.
func TestARefusalAfterTheLeaseFailsNothing(t *testing.T) {
	fx := newFixture(t, 1)
	fx.register(1, 1, playBasic)
	paused, err := claim(fx.ctx, fx.m, domain.EmailJob, 1, time.Minute)
	fx.must(err)
	fx.now = fx.now.Add(time.Minute)
	link := fx.mails()[doc(1)] // the other server sends it
	fx.must(fx.m.FailRefused(fx.ctx, paused[0].Job))
	fx.wantStatus(1, playBasic, domain.InProgress)
	if got := fx.job(domain.EmailJob); got.State != domain.JobDone {
		t.Errorf("got the job %s, want done", got.State)
	}
	view, err := fx.m.FollowLink(fx.ctx, link)
	fx.must(err)
	if view.State != rules.LinkDone {
		t.Errorf("got link state %d, want done", view.State)
	}
}

// The refusal of an e-mail does not fail the activation after the address was corrected and the
// e-mail sent again: the new link works.
func TestAnEMailThatWasReplacedFailsNothing(t *testing.T) {
	fx := newFixture(t, 1)
	fx.register(1, 1, playBasic)
	wrong, err := claim(fx.ctx, fx.m, domain.EmailJob, 1, time.Minute)
	fx.must(err)
	_, err = fx.m.Resend(fx.ctx, fx.call(), document(1))
	fx.must(err)
	fx.must(fx.m.FailRefused(fx.ctx, wrong[0].Job))
	fx.wantStatus(1, playBasic, domain.InProgress)
	if got := fx.click(1); got != rules.LinkDone {
		t.Errorf("the link of the new e-mail: got state %d, want done", got)
	}
}
