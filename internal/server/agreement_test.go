package server_test

import (
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// The wire contract and the rules know nothing of each other, and say some
// things twice: api for every client, provision for itself.
func TestTheRulesAndTheWireAgree(t *testing.T) {
	for id := api.Int(1); id < 100; id++ {
		rule, wire := provision.Status(id).String(), api.StatusName(id)
		if rule == "unknown" {
			rule = ""
		}
		if rule != wire {
			t.Errorf("status %d: %q in the rules, %q on the wire", id, rule, wire)
		}
	}
	actions := []string{api.CanActivate, api.CanReactivate, api.CanChangeTo, api.CanChangeFrom, api.CanSuspend, api.CanDeactivate}
	if got := provision.CanAll.Names(); !slices.Equal(got, actions) {
		t.Errorf("actions: got %v, want %v", got, actions)
	}
	for request, operation := range map[provision.Request]api.Operation{
		provision.RequestActivate: api.Activate, provision.RequestSuspend: api.Suspend, provision.RequestDeactivate: api.Deactivate,
		provision.RequestOverdue: api.Overdue, provision.RequestSettle: api.Settle,
	} {
		if request.String() != string(operation) {
			t.Errorf("operation: got %q, want %q", request, operation)
		}
	}
	for state, wire := range map[provision.ScheduleState]string{
		provision.ScheduleWaiting: api.ScheduleWaiting, provision.ScheduleDone: api.ScheduleDone,
		provision.ScheduleCancelled: api.ScheduleCancelled, provision.ScheduleRefused: api.ScheduleRefused,
	} {
		if state.String() != wire {
			t.Errorf("state of a schedule: got %q, want %q", state, wire)
		}
	}
	for name, c := range map[string]struct{ rules, wire int }{
		"days ahead of a schedule":       {int(provision.MaxScheduleTime.Hours()) / 24, api.MaxScheduleDays},
		"rows of an import":              {provision.MaxItems, api.MaxImportRows},
		"documents of a batch":           {provision.MaxItems, api.MaxBatchDocuments},
		"internet speed that is unknown": {provision.SpeedNotInformed, api.DefaultInternetSpeed},
	} {
		if c.rules != c.wire {
			t.Errorf("%s: %d in the rules, %d on the wire", name, c.rules, c.wire)
		}
	}
}
