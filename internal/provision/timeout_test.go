package provision_test

import (
	"testing"
	"time"

	"ativa/internal/provision"
)

func TestThePartnerIsAskedAgainAndThenTheOperationTimesOut(t *testing.T) {
	w := newWorld(t, 10, func(o *provision.Options) { o.MaxAsks = 3 })
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	for ask, wait := range []time.Duration{24 * time.Hour, 48 * time.Hour, 96 * time.Hour} {
		w.now = w.now.Add(wait - time.Second)
		if n, err := w.m.Expire(w.ctx); err != nil || n != 0 {
			t.Fatalf("ask %d, a second early: got %d, %v, want 0", ask, n, err)
		}
		w.now = w.now.Add(time.Second)
		if n, err := w.m.Expire(w.ctx); err != nil || n != 1 {
			t.Fatalf("ask %d: got %d, %v, want 1", ask, n, err)
		}
	}
	w.wantStatus(1, playBasic, provision.InError)
	w.confirm(1, playBasic, true) // late
	w.wantStatus(1, playBasic, provision.Suspended)
}

func TestAnActivationTimesOutOnlyWhenASettingSaysSo(t *testing.T) {
	for _, c := range []struct {
		ttl  time.Duration
		want provision.Status
	}{{0, provision.InProgress}, {72 * time.Hour, provision.InError}} {
		w := newWorld(t, 10, func(o *provision.Options) { o.ActivationTTL = c.ttl })
		w.register(1, 1, playBasic)
		w.now = w.now.Add(73 * time.Hour)
		_, err := w.m.Expire(w.ctx)
		w.must(err)
		w.wantStatus(1, playBasic, c.want)
	}
}

func TestAnUndeliverableEMailFailsTheActivation(t *testing.T) {
	w := newWorld(t, 1)
	w.register(1, 2, playBasic)
	errands, err := w.m.Claim(w.ctx, provision.EmailJob, 1, time.Minute)
	w.must(err)
	w.must(w.m.Undeliverable(w.ctx, errands[0].Job))
	w.wantStatus(1, playBasic, provision.InError)
	w.wantStatus(2, playBasic, provision.InProgress) // the slot went to the next in the queue
	if r := w.do(provision.RequestActivate, playBasic, 1); r.Status != provision.LimitReached || r.QueuePosition != 1 {
		t.Errorf("retry: got %+v, want queued at 1", r)
	}
}

// An e-mail to a wrong address that is refused after the address was corrected
// and the e-mail sent again does not fail the activation: its new link is good.
func TestAnEMailThatWasReplacedFailsNothing(t *testing.T) {
	w := newWorld(t, 1)
	w.register(1, 1, playBasic)
	wrong, err := w.m.Claim(w.ctx, provision.EmailJob, 1, time.Minute)
	w.must(err)
	_, err = w.m.Resend(w.ctx, w.call(), document(1))
	w.must(err)
	w.must(w.m.Undeliverable(w.ctx, wrong[0].Job))
	w.wantStatus(1, playBasic, provision.InProgress)
	if got := w.click(1); got != provision.LinkDone {
		t.Errorf("the link of the new e-mail: got state %d, want done", got)
	}
}
