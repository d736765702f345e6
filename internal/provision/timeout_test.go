package provision_test

import (
	"testing"
	"time"

	"ativa/internal/provision"
)

func TestThePartnerIsAskedAgainAndThenTheOperationTimesOut(t *testing.T) {
	fx := newFixture(t, 10, func(o *provision.Options) { o.MaxAttempts = 3 })
	fx.active(1, playBasic)
	fx.do(provision.RequestSuspend, playBasic, 1)
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
	fx.wantStatus(1, playBasic, provision.InError)
	fx.confirm(1, playBasic, true) // late
	fx.wantStatus(1, playBasic, provision.Suspended)
}

func TestAnActivationTimesOutOnlyWhenASettingSaysSo(t *testing.T) {
	for _, c := range []struct {
		ttl  time.Duration
		want provision.Status
	}{{0, provision.InProgress}, {72 * time.Hour, provision.InError}} {
		fx := newFixture(t, 10, func(o *provision.Options) { o.ActivationTTL = c.ttl })
		fx.register(1, 1, playBasic)
		fx.now = fx.now.Add(73 * time.Hour)
		_, err := fx.m.Expire(fx.ctx)
		fx.must(err)
		fx.wantStatus(1, playBasic, c.want)
	}
}

func TestAnUndeliverableEMailFailsTheActivation(t *testing.T) {
	fx := newFixture(t, 1)
	fx.register(1, 2, playBasic)
	claimed, err := claim(fx.ctx, fx.m, provision.EmailJob, 1, time.Minute)
	fx.must(err)
	fx.must(fx.m.FailRefused(fx.ctx, claimed[0].Job))
	fx.wantStatus(1, playBasic, provision.InError)
	fx.wantStatus(2, playBasic, provision.InProgress) // the slot went to the next in the queue
	if r := fx.do(provision.RequestActivate, playBasic, 1); r.Status != provision.LimitReached || r.QueuePosition != 1 {
		t.Errorf("retry: got %+v, want queued at 1", r)
	}
}

// An e-mail to a wrong address that is refused after the address was corrected
// and the e-mail sent again does not fail the activation: its new link is good.
func TestAnEMailThatWasReplacedFailsNothing(t *testing.T) {
	fx := newFixture(t, 1)
	fx.register(1, 1, playBasic)
	wrong, err := claim(fx.ctx, fx.m, provision.EmailJob, 1, time.Minute)
	fx.must(err)
	_, err = fx.m.Resend(fx.ctx, fx.call(), document(1))
	fx.must(err)
	fx.must(fx.m.FailRefused(fx.ctx, wrong[0].Job))
	fx.wantStatus(1, playBasic, provision.InProgress)
	if got := fx.click(1); got != provision.LinkDone {
		t.Errorf("the link of the new e-mail: got state %d, want done", got)
	}
}
