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
	rules, wire := provision.Statuses(), api.Statuses()
	if len(rules) != len(wire) {
		t.Fatalf("%d statuses in the rules, %d on the wire", len(rules), len(wire))
	}
	for _, w := range wire {
		i := slices.IndexFunc(rules, func(s provision.StatusInfo) bool { return api.Int(s.Status) == w.ID })
		if i < 0 || rules[i].Status.String() != w.Name || rules[i].Final != (api.CategoryOf(w.ID) == api.CategoryFinal) {
			t.Errorf("status %+v on the wire is not as the rules have it", w)
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
	for name, c := range map[string]struct{ rules, wire int }{
		"rows of an import":              {provision.MaxItems, api.MaxImportRows},
		"documents of a batch":           {provision.MaxItems, api.MaxBatchDocuments},
		"internet speed that is unknown": {provision.SpeedNotInformed, api.DefaultInternetSpeed},
	} {
		if c.rules != c.wire {
			t.Errorf("%s: %d in the rules, %d on the wire", name, c.rules, c.wire)
		}
	}
}
