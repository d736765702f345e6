package server_test

import (
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// The wire contract and the rules do not know each other and repeat some values: api for clients,
// rules for itself.
func TestTheRulesAndTheWireAgree(t *testing.T) {
	for id := api.Int(1); id < 100; id++ {
		rule, wire := domain.Status(id).String(), api.StatusName(id)
		if rule == "unknown" {
			rule = ""
		}
		if rule != wire {
			t.Errorf("status %d: %q in the rules, %q on the wire", id, rule, wire)
		}
	}
	actions := []string{api.CanActivate, api.CanReactivate, api.CanChangeTo, api.CanChangeFrom, api.CanSuspend, api.CanDeactivate}
	if got := domain.CanAll.Names(); !slices.Equal(got, actions) {
		t.Errorf("actions: got %v, want %v", got, actions)
	}
	var scopes []string
	for _, scope := range api.Scopes() {
		scopes = append(scopes, string(scope))
	}
	if got := domain.ScopeNames(); !slices.Equal(got, scopes) {
		t.Errorf("scopes: got %v, want %v", got, scopes)
	}
	for request, operation := range map[domain.Request]api.Operation{
		domain.RequestActivate: api.Activate, domain.RequestSuspend: api.Suspend, domain.RequestDeactivate: api.Deactivate,
		domain.RequestOverdue: api.Overdue, domain.RequestSettle: api.Settle,
	} {
		if request.String() != string(operation) {
			t.Errorf("operation: got %q, want %q", request, operation)
		}
	}
	for state, wire := range map[domain.ScheduleState]string{
		domain.ScheduleWaiting: api.ScheduleWaiting, domain.ScheduleDone: api.ScheduleDone,
		domain.ScheduleCancelled: api.ScheduleCancelled, domain.ScheduleRefused: api.ScheduleRefused,
	} {
		if state.String() != wire {
			t.Errorf("state of a schedule: got %q, want %q", state, wire)
		}
	}
	for name, c := range map[string]struct{ rules, wire int }{
		"days ahead of a schedule":       {int(rules.MaxScheduleTime.Hours()) / 24, api.MaxScheduleDays},
		"internet speed that is unknown": {domain.SpeedNotInformed, api.DefaultInternetSpeed},
	} {
		if c.rules != c.wire {
			t.Errorf("%s: %d in the rules, %d on the wire", name, c.rules, c.wire)
		}
	}
}
