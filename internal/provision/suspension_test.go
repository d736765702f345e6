package provision_test

import (
	"testing"

	"ativa/internal/provision"
)

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
		if got := w.confirm(1, playBasic, true); got != provision.PartnerEventApplied {
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

func TestCancellingSupersedesTheRunningOperation(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	suspension := w.service(1, playBasic).Operation
	w.do(provision.RequestDeactivate, playBasic, 1)
	if got := w.confirmOperation(suspension, true); got != provision.PartnerEventStale {
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
