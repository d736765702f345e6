package bulk_test

import (
	"testing"

	"ativa/internal/api"
	"ativa/internal/bulk"
)

// A batch without an answer is read back where the server keeps no keys. What
// has not become active, and never will by itself, counts as not done and is
// sent again.
func TestReadBackTakesOnlyWhatTheOperationLeadsTo(t *testing.T) {
	for _, c := range []struct {
		operation api.Operation
		status    api.Status // after the answer was lost
		again     bool
	}{
		{api.Activate, api.Status{ID: api.StatusError, Name: "error"}, true},
		{api.Activate, api.Status{ID: api.StatusWaitingCancellation, Name: "waitingCancellation"}, true},
		{api.Activate, api.Status{ID: api.StatusWaitingSuspension, Name: "waitingSuspension"}, true},
		{api.Activate, api.Status{ID: api.StatusSuspend, Name: "suspend"}, true},
		{api.Activate, api.Status{ID: api.StatusActive, Name: "active"}, false},
		{api.Activate, api.Status{ID: api.StatusLimitReached, Name: "limitReached"}, false},
		{api.Activate, api.Status{ID: 99, Name: "checkout"}, false},
		{api.Suspend, api.Status{ID: api.StatusError, Name: "error"}, true},
		{api.Suspend, api.Status{ID: api.StatusWaitingSuspension, Name: "waitingSuspension"}, false},
		{api.Deactivate, api.Status{ID: api.StatusActive, Name: "active"}, true},
		{api.Deactivate, api.Status{ID: api.StatusCanceledWithoutActivation, Name: "canceledWithoutActivation"}, false},
		{api.Overdue, api.Status{ID: api.StatusSuspend, Name: "suspend"}, true},
		{api.Overdue, api.Status{ID: api.StatusOverdue, Name: "overdue"}, false},
		{api.Settle, api.Status{ID: api.StatusOverdue, Name: "overdue"}, true},
		{api.Settle, api.Status{ID: api.StatusActive, Name: "active"}, false},
	} {
		t.Run(string(c.operation)+" "+c.status.Name, func(t *testing.T) {
			f, server := newFixture(t, "")
			f.add(numbered(1), 7)
			op := string(c.operation)
			usual := f.become[op]
			f.become[op] = c.status
			f.lose = func(r request) bool { f.become[op] = usual; return r.n == 1 }
			job := &bulk.Provision{Client: server, Operation: c.operation, Product: 7}
			got, err := collect(t, job, file(numbered(1)), bulk.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, requests := c.status.Name, 1
			if c.again {
				want, requests = usual.Name, 2
			}
			o := got[numbered(1)]
			if n := len(f.sent(op)); n != requests || o.Kind != api.ResultAccepted || len(o.Services) != 1 || o.Services[0].Status != want {
				t.Errorf("got %q %+v after %d requests, want accepted, %s after %d", o.Kind, o.Services, n, want, requests)
			}
		})
	}
}

// An import whose answer was lost left a service in error: it is activated
// again, as a service that is missing would be.
func TestReadBackOfAnImportActivatesWhatIsInError(t *testing.T) {
	f, server := newFixture(t, "")
	f.become["import"] = api.Status{ID: api.StatusError, Name: "error"}
	f.lose = func(r request) bool { return r.is("import") }
	rows := file(numbered(1))
	rows[0].ProductsIDs = []api.Int{7}
	got, err := collect(t, &bulk.Import{Client: server}, rows, bulk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if o, status := got[numbered(1)], f.status(numbered(1), 7); o.Kind != api.ResultCreated || status != "inProgress" || len(f.sent("activate")) != 1 {
		t.Errorf("got %q with a service that is %s after %d activations, want created, inProgress, 1", o.Kind, status, len(f.sent("activate")))
	}
}
