package run_test

import (
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// On a server that reports no operations, the status alone decides how a line is undone.
func TestWithoutOperationsTheStatusDecidesHowALineIsUndone(t *testing.T) {
	for _, c := range []struct {
		name                  string
		run                   api.Operation
		result, before, after string
		now                   string // of product 1, "" for none
		previous              string // the product that a change replaced
		want                  api.Operation
		kind, reason          string // no kind: nothing is planned
	}{
		{name: "suspended", result: "accepted", before: "active", after: "waitingSuspension", now: "suspend", want: api.Activate, kind: run.ActionReactivate},
		{name: "not confirmed", result: "accepted", before: "active", after: "waitingSuspension", now: "waitingSuspension", kind: run.ActionRefused, reason: "it is waitingSuspension, which cannot become active now"},
		{name: "back already", result: "accepted", before: "active", after: "waitingSuspension", now: "active"},
		{name: "on its way back", result: "accepted", before: "active", after: "waitingSuspension", now: "reactivated"},
		{name: "overdue since", result: "accepted", before: "active", after: "waitingSuspension", now: "overdue", kind: run.ActionRefused, reason: "it has changed since the run"},
		{name: "failed since", result: "accepted", before: "active", after: "waitingSuspension", now: "error", kind: run.ActionRefused, reason: "it has changed since the run"},
		{name: "overdue", result: "accepted", before: "active", after: "waitingSuspensionDueToOverdue", now: "overdue", want: api.Settle, kind: run.ActionReactivate},
		{name: "overdue, not confirmed", result: "accepted", before: "active", after: "waitingSuspensionDueToOverdue", now: "waitingSuspensionDueToOverdue", want: api.Settle, kind: run.ActionReactivate},
		{name: "overdue when suspended", result: "accepted", before: "suspend", after: "overdue", now: "overdue", want: api.Settle, kind: run.ActionReactivate},
		{name: "settled", result: "accepted", before: "overdue", after: "reactivated", now: "active", want: api.Overdue, kind: run.ActionSuspend},
		{name: "activated again", result: "accepted", before: "suspend", after: "reactivated", now: "active", want: api.Suspend, kind: run.ActionSuspend},
		{name: "activated", result: "accepted", after: "inProgress", now: "active", kind: run.ActionRefused, reason: "a first activation is not undone"},
		{name: "cancelled", result: "accepted", before: "active", after: "waitingCancellation", now: "canceled", kind: run.ActionRefused, reason: "a cancellation is not undone"},
		{name: "changed", result: "accepted", before: "active", after: "changed", now: "active", previous: "2", kind: run.ActionChange},
		{name: "change not confirmed", result: "accepted", before: "active", after: "changed", now: "changed", previous: "2", kind: run.ActionRefused, reason: "it is changed, which cannot become active now"},
		{name: "gone", result: "accepted", before: "active", after: "suspend", kind: run.ActionRefused, reason: "the service does not exist any more"},
		{name: "registered", result: "created", kind: run.ActionRefused, reason: "a registration is not undone"},
		{name: "no answer", result: "unknown", kind: run.ActionRefused, reason: "no answer came in the run"},
		{name: "refused in the run", result: "failed", before: "active", after: "active", now: "active"},
		{name: "unchanged in the run", result: "unchanged", before: "suspend", after: "suspend", now: "suspend"},
		{name: "the server does not report the status before", run: api.Suspend, result: "accepted", after: "suspend", now: "suspend", want: api.Activate, kind: run.ActionReactivate},
		{name: "the same, an activation", run: api.Activate, result: "accepted", after: "active", now: "active", kind: run.ActionRefused, reason: "a first activation is not undone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, server := newFixture(t, allExtensions)
			s := f.Add(numbered(1))
			if c.now != "" {
				s.Services = append(s.Services, f.Service(1, c.now))
			}
			line := sheet.ReportLine{Line: 2, Document: numbered(1), Result: c.result, ProductID: "1", PreviousStatus: c.before, Status: c.after, OperationID: "op_1", PreviousProductID: c.previous}
			u, p := &run.UndoPlanner{Client: server, Operation: c.run}, &run.Plan{ID: "undo"}
			must(t, u.Plan(t.Context(), seq([]sheet.ReportLine{line}), p))
			if !u.StatusAlone {
				t.Error("StatusAlone is false for a server without operations")
			}
			if c.kind == "" {
				if len(p.Actions) != 0 {
					t.Errorf("got %+v, want nothing planned", p.Actions)
				}
				return
			}
			if len(p.Actions) != 1 || p.Actions[0].Kind != c.kind || p.Actions[0].Operation != c.want || p.Actions[0].Reason != c.reason {
				t.Fatalf("got %+v, want %s by %q, %q", p.Actions, c.kind, c.want, c.reason)
			}
			if a := p.Actions[0]; c.kind == run.ActionChange && (a.ProductID != 2 || a.PreviousProductID != 1) {
				t.Errorf("got a change from %d to %d, want from 1 to 2", a.PreviousProductID, a.ProductID)
			}
		})
	}
}

// A resumed plan holds back what a new plan of the same work no longer has.
func TestAResumedPlanHoldsBackWhatChanged(t *testing.T) {
	f, server := newFixture(t, "")
	addPeople(f, 3)
	dir := t.TempDir()
	for _, lost := range []bool{true, false} {
		f.Drop = func(apitest.Request) bool { return lost }
		p := &run.Plan{ID: "plan", Actions: []run.Action{{Kind: run.ActionSuspend, Document: numbered(1), ProductID: 1, Operation: api.Suspend}}}
		for _, d := range documents(3)[1:] {
			p.Actions = append(p.Actions, run.Action{Kind: run.ActionDeactivate, Document: d, ProductID: 1, Operation: api.Deactivate})
		}
		j := open(t, dir)
		if !lost {
			p.HoldChanged(&run.Plan{Actions: p.Actions[2:]}, j)
		}
		err := p.Apply(t.Context(), server, j, run.Options{}, func(*run.Action, run.RowResult) error { return nil })
		must(t, j.Close())
		if held := p.Actions[1]; (err != nil) != lost || (held.Result == api.ResultFailed && held.ReasonCode == "changed_since_run") == lost {
			t.Errorf("got %+v, %v, want it held back by the new plan alone", held, err)
		}
	}
	got := []string{f.Status(numbered(1), 1), f.Status(numbered(2), 1), f.Status(numbered(3), 1)}
	if want := []string{"waitingSuspension", "active", "waitingCancellation"}; !slices.Equal(got, want) { // the first was sent
		t.Errorf("got %q, want %q", got, want)
	}
}
