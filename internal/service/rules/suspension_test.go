package rules_test

import (
	"testing"

	"ativa/internal/service/rules"
)

func TestSuspensionReactivationAndCancellationWaitForThePartner(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	steps := []struct {
		req           rules.Request
		during, after rules.Status
	}{
		{rules.RequestSuspend, rules.WaitingSuspension, rules.Suspended},
		{rules.RequestActivate, rules.Reactivated, rules.Active},
		{rules.RequestOverdue, rules.WaitingSuspensionDueToOverdue, rules.Overdue},
		{rules.RequestSettle, rules.Reactivated, rules.Active},
		{rules.RequestDeactivate, rules.WaitingCancellation, rules.Canceled},
	}
	for _, step := range steps {
		r := fx.do(step.req, playBasic, 1)
		if r.Kind != rules.ResultAccepted || r.Status != step.during {
			t.Fatalf("%s: got %+v, want %s", step.req, r, step.during)
		}
		if again := fx.do(step.req, playBasic, 1); again.Kind != rules.ResultUnchanged || again.Status != step.during {
			t.Errorf("%s again: got %+v, want unchanged", step.req, again)
		}
		if got := fx.confirm(1, playBasic, true); got != rules.PartnerEventApplied {
			t.Fatalf("%s: confirmation is %d, want applied", step.req, got)
		}
		fx.wantStatus(1, playBasic, step.after)
	}
	if r := fx.do(rules.RequestSuspend, playBasic, 1); r.Code != rules.ServiceCanceled {
		t.Errorf("suspend after cancellation: got %+v, want service_canceled", r)
	}
	if r := fx.do(rules.RequestActivate, playBasic, 1); r.Status != rules.InProgress || r.Previous != rules.NoService {
		t.Errorf("activate after cancellation: got %+v, want a new token", r)
	}
}

func TestCancellingSupersedesTheRunningOperation(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(rules.RequestSuspend, playBasic, 1)
	suspension := fx.service(1, playBasic).Operation
	fx.do(rules.RequestDeactivate, playBasic, 1)
	if got := fx.confirmOperation(suspension, true); got != rules.PartnerEventStale {
		t.Errorf("confirmation of the superseded suspension is %d, want stale", got)
	}
	fx.wantStatus(1, playBasic, rules.WaitingCancellation)
	fx.confirm(1, playBasic, false)
	fx.wantStatus(1, playBasic, rules.InError)
	if r := fx.do(rules.RequestActivate, playBasic, 1); r.Code != rules.CancellationUnresolved {
		t.Errorf("got %+v, want cancellation_unresolved", r)
	}
}

func TestOverdueWaitsForTheRunningOperation(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(rules.RequestSuspend, playBasic, 1)
	if r := fx.do(rules.RequestOverdue, playBasic, 1); r.Kind != rules.ResultAccepted || r.Status != rules.WaitingSuspension {
		t.Fatalf("got %+v, want accepted and still waiting", r)
	}
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, rules.Overdue)
	if r := fx.do(rules.RequestSettle, playBasic, 1); r.Status != rules.Suspended {
		t.Errorf("settle: got %+v, want suspend, for it was suspended before", r)
	}
}

func TestSettlingClearsADeferredOverdue(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(rules.RequestSuspend, playBasic, 1)
	fx.do(rules.RequestOverdue, playBasic, 1)
	fx.do(rules.RequestSettle, playBasic, 1)
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, rules.Suspended)
}

func TestSettlingDuringAnOverdueSuspensionReactivatesOnConfirmation(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(rules.RequestOverdue, playBasic, 1)
	if r := fx.do(rules.RequestSettle, playBasic, 1); r.Kind != rules.ResultAccepted {
		t.Fatalf("got %+v, want accepted", r)
	}
	fx.confirm(1, playBasic, true)
	fx.wantStatus(1, playBasic, rules.Reactivated)
}
