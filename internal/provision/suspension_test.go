package provision_test

import (
	"testing"

	"ativa/internal/provision"
)

func TestSuspensionReactivationAndCancellationWaitForThePartner(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
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
		r := fx.do(step.req, playBasic, 1)
		if r.Kind != provision.ResultAccepted || r.Status != step.during {
			t.Fatalf("%s: got %+v, want %s", step.req, r, step.during)
		}
		if again := fx.do(step.req, playBasic, 1); again.Kind != provision.ResultUnchanged || again.Status != step.during {
			t.Errorf("%s again: got %+v, want unchanged", step.req, again)
		}
		if got := fx.confirm(1, playBasic, true); got != provision.PartnerEventApplied {
			t.Fatalf("%s: confirmation is %d, want applied", step.req, got)
		}
		fx.wantStatus(1, playBasic, step.after)
	}
	if r := fx.do(provision.RequestSuspend, playBasic, 1); r.Code != provision.ServiceCanceled {
		t.Errorf("suspend after cancellation: got %+v, want service_canceled", r)
	}
	if r := fx.do(provision.RequestActivate, playBasic, 1); r.Status != provision.InProgress || r.Previous != provision.NoService {
		t.Errorf("activate after cancellation: got %+v, want a new token", r)
	}
}

func TestCancellingSupersedesTheRunningOperation(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(provision.RequestSuspend, playBasic, 1)
	suspension := fx.service(1, playBasic).Operation
	fx.do(provision.RequestDeactivate, playBasic, 1)
	if got := fx.confirmOperation(suspension, true); got != provision.PartnerEventStale {
		t.Errorf("confirmation of the superseded suspension is %d, want stale", got)
	}
	fx.wantStatus(1, playBasic, provision.WaitingCancellation)
	fx.confirm(1, playBasic, false)
	fx.wantStatus(1, playBasic, provision.InError)
	if r := fx.do(provision.RequestActivate, playBasic, 1); r.Code != provision.CancellationUnresolved {
		t.Errorf("got %+v, want cancellation_unresolved", r)
	}
}

func TestOverdueWaitsForTheRunningOperation(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(provision.RequestSuspend, playBasic, 1)
	if r := fx.do(provision.RequestOverdue, playBasic, 1); r.Kind != provision.ResultAccepted || r.Status != provision.WaitingSuspension {
		t.Fatalf("got %+v, want accepted and still waiting", r)
	}
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, provision.Overdue)
	if r := fx.do(provision.RequestSettle, playBasic, 1); r.Status != provision.Suspended {
		t.Errorf("settle: got %+v, want suspend, for it was suspended before", r)
	}
}

func TestSettlingClearsADeferredOverdue(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(provision.RequestSuspend, playBasic, 1)
	fx.do(provision.RequestOverdue, playBasic, 1)
	fx.do(provision.RequestSettle, playBasic, 1)
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, provision.Suspended)
}

func TestSettlingDuringAnOverdueSuspensionReactivatesOnConfirmation(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(provision.RequestOverdue, playBasic, 1)
	if r := fx.do(provision.RequestSettle, playBasic, 1); r.Kind != provision.ResultAccepted {
		t.Fatalf("got %+v, want accepted", r)
	}
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, provision.Reactivated)
}
