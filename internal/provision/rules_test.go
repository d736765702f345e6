package provision_test

import (
	"testing"
	"time"

	"ativa/internal/provision"
)

func TestAnActivationIsCompletedByTheLinkInTheEMail(t *testing.T) {
	w := newWorld(t, 10)
	w.register(1, 1, playBasic)
	w.wantStatus(1, playBasic, provision.InProgress)
	links := w.mails()
	if len(links) != 1 {
		t.Fatalf("got %d e-mails, want 1", len(links))
	}
	link := links[doc(1)]
	view, err := w.m.ViewLink(w.ctx, link)
	w.must(err)
	if view.State != provision.LinkReady || view.Product != "Play Básico" || view.Provider != "Provedor" {
		t.Errorf("got %+v, want a ready link", view)
	}
	w.wantStatus(1, playBasic, provision.InProgress) // looking never activates
	if view, err = w.m.FollowLink(w.ctx, link); err != nil || view.State != provision.LinkDone {
		t.Fatalf("got %+v, %v, want done", view, err)
	}
	w.wantStatus(1, playBasic, provision.Active)
	if view, err = w.m.FollowLink(w.ctx, link); err != nil || view.State != provision.LinkUsed {
		t.Errorf("second use: got %+v, %v, want used", view, err)
	}
	if view, err = w.m.ViewLink(w.ctx, "no such link"); err != nil || view.State != provision.LinkUnknown {
		t.Errorf("got %+v, %v, want unknown", view, err)
	}
}

func TestALinkExpiresAfterSevenDays(t *testing.T) {
	w := newWorld(t, 10)
	w.register(1, 1, playBasic)
	link := w.mails()[doc(1)]
	w.now = w.now.Add(7 * 24 * time.Hour)
	view, err := w.m.FollowLink(w.ctx, link)
	w.must(err)
	if view.State != provision.LinkExpired {
		t.Errorf("got link state %d, want expired", view.State)
	}
	w.wantStatus(1, playBasic, provision.InProgress)
}

func TestAResendReplacesTheEarlierLink(t *testing.T) {
	w := newWorld(t, 10)
	w.register(1, 1, playBasic, music)
	old := w.mails()
	_, err := w.m.Resend(w.ctx, w.call(), document(9))
	wantCode(t, err, provision.SubscriberNotFound)
	if results, err := w.m.Resend(w.ctx, w.call(), document(1)); err != nil || len(results) != 2 || !results[0].Sent || !results[1].Sent {
		t.Fatalf("got %+v, %v, want two sent", results, err)
	}
	view, err := w.m.FollowLink(w.ctx, old[doc(1)])
	w.must(err)
	if view.State != provision.LinkReplaced {
		t.Errorf("old link: got state %d, want replaced", view.State)
	}
	if got := w.click(1); got != provision.LinkDone {
		t.Errorf("new link: got state %d, want done", got)
	}
}

func TestASuspendedServiceHasNothingToResend(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	w.confirm(1, playBasic, true)
	_, err := w.m.Resend(w.ctx, w.call(), document(1))
	wantCode(t, err, provision.NothingToResend)
}

func TestSuspensionReactivationAndCancellationWaitForThePartner(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	steps := []struct {
		req           provision.Request
		during, after provision.Status
	}{
		{provision.RequestSuspend, provision.WaitingSuspension, provision.Suspended},
		{provision.RequestActivate, provision.Reactivated, provision.Active},
		{provision.RequestOverdue, provision.WaitingSuspensionDueToOverdue, provision.Overdue},
		{provision.RequestSettle, provision.Reactivated, provision.Active},
		{provision.RequestDeactivate, provision.WaitingCancellation, provision.Canceled},
	}
	for _, step := range steps {
		r := w.do(step.req, playBasic, 1)
		if r.Kind != provision.ResultAccepted || r.Status != step.during {
			t.Fatalf("%s: got %+v, want %s", step.req, r, step.during)
		}
		if again := w.do(step.req, playBasic, 1); again.Kind != provision.ResultUnchanged || again.Status != step.during {
			t.Errorf("%s again: got %+v, want unchanged", step.req, again)
		}
		if got := w.confirm(1, playBasic, true); got != provision.ReportApplied {
			t.Fatalf("%s: confirmation is %d, want applied", step.req, got)
		}
		w.wantStatus(1, playBasic, step.after)
	}
	if r := w.do(provision.RequestSuspend, playBasic, 1); r.Code != provision.ServiceCanceled {
		t.Errorf("suspend after cancellation: got %+v, want service_canceled", r)
	}
	if r := w.do(provision.RequestActivate, playBasic, 1); r.Status != provision.InProgress || r.Previous != provision.NoService {
		t.Errorf("activate after cancellation: got %+v, want a new token", r)
	}
}

func TestAFailedChangePutsTheOldProductBackAndALateConfirmationTheNewOne(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	r, err := w.m.ChangeProduct(w.ctx, w.call(), document(1), playBasic, playPremium)
	w.must(err)
	if r.Status != provision.Changed {
		t.Fatalf("got %+v, want changed", r)
	}
	if again, err := w.m.ChangeProduct(w.ctx, w.call(), document(1), playBasic, playPremium); err != nil || again.Kind != provision.ResultUnchanged {
		t.Errorf("the same change again: got %+v, %v, want unchanged", again, err)
	}
	op := w.service(1, playPremium).Operation
	w.confirmOperation(op, false)
	w.wantStatus(1, playBasic, provision.InError)
	if got := w.confirmOperation(op, true); got != provision.ReportApplied {
		t.Fatalf("late confirmation is %d, want applied", got)
	}
	w.wantStatus(1, playPremium, provision.Active)
	if got := w.confirmOperation(op, true); got != provision.ReportStale {
		t.Errorf("third confirmation is %d, want stale", got)
	}
}

func TestWhatAChangeIsRefusedFor(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.active(2, alone)
	w.register(3, 3, playBasic)
	for _, c := range []struct {
		n, from, to int
		want        provision.Code
	}{
		{1, playBasic, 99, provision.UnknownProduct},
		{1, playBasic, ungranted, provision.UnknownProduct},
		{1, playBasic, playBasic, provision.SameProduct},
		{1, playBasic, inactive, provision.ProductInactive},
		{1, playBasic, suspendOnly, provision.ActionNotAllowed},
		{1, playBasic, music, provision.NotReplaceable},
		{2, alone, music, provision.NotReplaceable},
		{9, playBasic, playPremium, provision.SubscriberNotFound},
		{1, music, playBasic, provision.ServiceNotFound},
		{3, playBasic, playPremium, provision.ServiceNotActive},
	} {
		_, err := w.m.ChangeProduct(w.ctx, w.call(), document(c.n), c.from, c.to)
		t.Run(string(c.want), func(t *testing.T) { wantCode(t, err, c.want) })
	}
}

func TestActivatingAnotherProductOfTheFamilyIsAChange(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	if r := w.do(provision.RequestActivate, playPremium, 1); r.Status != provision.Changed || r.Previous != provision.Active {
		t.Fatalf("got %+v, want changed", r)
	}
	w.confirm(1, playPremium, true)
	w.wantStatus(1, playPremium, provision.Active)
	w.do(provision.RequestSuspend, playPremium, 1)
	w.confirm(1, playPremium, true)
	if r := w.do(provision.RequestActivate, playBasic, 1); r.Code != provision.ServiceSuspended {
		t.Errorf("family of a suspended service: got %+v, want service_suspended", r)
	}
	w.wantStatus(1, playPremium, provision.Suspended)
}

func TestCancellingSupersedesTheRunningOperation(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	suspension := w.service(1, playBasic).Operation
	w.do(provision.RequestDeactivate, playBasic, 1)
	if got := w.confirmOperation(suspension, true); got != provision.ReportStale {
		t.Errorf("confirmation of the superseded suspension is %d, want stale", got)
	}
	w.wantStatus(1, playBasic, provision.WaitingCancellation)
	w.confirm(1, playBasic, false)
	w.wantStatus(1, playBasic, provision.InError)
	if r := w.do(provision.RequestActivate, playBasic, 1); r.Code != provision.CancellationUnresolved {
		t.Errorf("got %+v, want cancellation_unresolved", r)
	}
}

func TestOverdueWaitsForTheRunningOperation(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	if r := w.do(provision.RequestOverdue, playBasic, 1); r.Kind != provision.ResultAccepted || r.Status != provision.WaitingSuspension {
		t.Fatalf("got %+v, want accepted and still waiting", r)
	}
	w.confirm(1, playBasic, true)
	w.wantStatus(1, playBasic, provision.Overdue)
	if r := w.do(provision.RequestSettle, playBasic, 1); r.Status != provision.Suspended {
		t.Errorf("settle: got %+v, want suspend, for it was suspended before", r)
	}
}

func TestSettlingClearsADeferredOverdue(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	w.do(provision.RequestOverdue, playBasic, 1)
	w.do(provision.RequestSettle, playBasic, 1)
	w.confirm(1, playBasic, true)
	w.wantStatus(1, playBasic, provision.Suspended)
}

func TestSettlingDuringAnOverdueSuspensionReactivatesOnConfirmation(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestOverdue, playBasic, 1)
	if r := w.do(provision.RequestSettle, playBasic, 1); r.Kind != provision.ResultAccepted {
		t.Fatalf("got %+v, want accepted", r)
	}
	w.confirm(1, playBasic, true)
	w.wantStatus(1, playBasic, provision.Reactivated)
}

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
	w.must(w.m.Undeliverable(w.ctx, w.service(1, playBasic).Operation))
	w.wantStatus(1, playBasic, provision.InError)
	w.wantStatus(2, playBasic, provision.InProgress) // the slot went to the next in the queue
	if r := w.do(provision.RequestActivate, playBasic, 1); r.Status != provision.LimitReached || r.QueuePosition != 1 {
		t.Errorf("retry: got %+v, want queued at 1", r)
	}
}

func TestConfirmationsOfUnknownOperationsAreUnmatched(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	op := w.service(1, playBasic).Operation
	for name, c := range map[string]provision.Confirmation{
		"unknown operation": {Operation: op + 1000, Confirmed: true},
		"unknown provider":  {Operation: 77, Confirmed: true},
		"another partner":   {Operation: op, Partner: w.partner.ID + 1, Confirmed: true},
		"another kind":      {Operation: op, Kind: "cancellation", Confirmed: true},
	} {
		states, err := w.m.Confirm(w.ctx, []provision.Confirmation{c})
		w.must(err)
		if states[0] != provision.ReportUnmatched {
			t.Errorf("%s: got %d, want unmatched", name, states[0])
		}
	}
	w.wantStatus(1, playBasic, provision.WaitingSuspension)
}

func TestAReportIsStoredOnceAndParkedWhenUnknown(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	r := provision.Report{Partner: w.partner.ID, ID: "msg_1", Operation: w.service(1, playBasic).Operation, Kind: "suspension", Confirmed: true}
	for _, want := range []bool{false, true} {
		if duplicate, err := w.m.Receive(w.ctx, r); err != nil || duplicate != want {
			t.Fatalf("got duplicate %v, %v, want %v", duplicate, err, want)
		}
	}
	w.wantStatus(1, playBasic, provision.Suspended)
	r.ID, r.Operation = "msg_2", r.Operation+1
	_, err := w.m.Receive(w.ctx, r)
	w.must(err)
	parked, err := w.store.Reports(w.ctx, []provision.ReportState{provision.ReportUnmatched}, 10)
	if err != nil || len(parked) != 1 || parked[0].ID != "msg_2" {
		t.Fatalf("parked: got %+v, %v, want msg_2", parked, err)
	}
	w.do(provision.RequestDeactivate, playBasic, 1) // takes the operation id that was unknown
	r.Kind = "cancellation"
	if n, err := w.m.ReplayReports(w.ctx); err != nil || n != 0 {
		t.Errorf("replay of another kind: got %d, %v, want 0", n, err)
	}
}

// A product does not join a family of which somebody has a live token beside
// one of the product: there would be two, which no change and no check knows.
func TestAProductJoinsAFamilyThatNobodyHasTwiceThen(t *testing.T) {
	w := newWorld(t, 10)
	w.register(1, 1, playBasic, alone)
	join := func(family string) error {
		_, err := w.m.UpdateProduct(w.ctx, alone, func(p *provision.Product) error { p.Family = family; return nil })
		return err
	}
	wantCode(t, join("play"), provision.FamilyConflict)
	w.must(join("read"))
	w.do(provision.RequestDeactivate, alone, 1)
	wantCode(t, join("play"), provision.FamilyConflict) // it is not cancelled yet
	w.confirm(1, alone, true)
	w.must(join("play"))
	w.check(t)
}
