package run_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/run"
)

// A batch without an answer is read back if the server keeps no keys. A service that is not
// active, and never will be by itself, counts as not done and is sent again; lifecycle
// tests which statuses these are.
func TestReadBackAcceptsOnlyResultingStatuses(t *testing.T) {
	for _, c := range []struct {
		operation api.Operation
		status    api.Status // after the answer was lost
		again     bool
	}{
		{api.Activate, api.Status{ID: api.StatusError, Name: "error"}, true},
		{api.Activate, api.Status{ID: api.StatusActive, Name: "active"}, false},
		{api.Activate, api.Status{ID: 99, Name: "checkout"}, false},
		{api.Suspend, api.Status{ID: api.StatusError, Name: "error"}, true},
		{api.Deactivate, api.Status{ID: api.StatusActive, Name: "active"}, true},
		{api.Overdue, api.Status{ID: api.StatusOverdue, Name: "overdue"}, false},
		{api.Settle, api.Status{ID: api.StatusActive, Name: "active"}, false},
	} {
		t.Run(string(c.operation)+" "+c.status.Name, func(t *testing.T) {
			f, server := newFixture(t, "")
			f.add(numbered(1), 7)
			op := string(c.operation)
			usual := f.become[op]
			f.become[op] = c.status
			f.lose = func(r request) bool { f.become[op] = usual; return r.n == 1 }
			job := &run.Provision{Client: server, Operation: c.operation, Product: 7}
			got, err := collect(t, job, file(numbered(1)), run.Options{})
			must(t, err)
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

// A single document is retried like a run: a refusal is a result, a lost answer is read back
// and the request repeated only if it had no effect, and with a key the same request is
// sent again.
func TestOneDocumentIsRetriedLikeARun(t *testing.T) {
	document := numbered(1)
	for _, c := range []struct {
		name, extensions string
		set              func(f *fixture)
		want             api.BatchResult
		requests         int
	}{
		{"done", "", func(*fixture) {}, api.BatchResult{Result: api.ResultAccepted}, 1},
		{"refused", "", func(f *fixture) { f.refuse = func(request) (int, string) { return 409, api.CodeServiceOverdue } },
			api.BatchResult{Result: api.ResultFailed, Code: api.CodeServiceOverdue}, 1},
		{"element refused", allExtensions, func(f *fixture) { f.fails = func(request, string) string { return api.CodeServiceOverdue } },
			api.BatchResult{Result: api.ResultFailed, Code: api.CodeServiceOverdue}, 1},
		{"answer lost", "", func(f *fixture) { f.lose = func(r request) bool { return r.n == 1 } }, api.BatchResult{Result: api.ResultAccepted}, 1},
		{"request lost", "", func(f *fixture) { f.drop = func(r request) bool { return r.n == 1 } }, api.BatchResult{Result: api.ResultAccepted}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, server := newFixture(t, c.extensions)
			f.add(document, 7)
			c.set(f)
			result, err := run.One(t.Context(), server, &run.Provision{Client: server, Operation: api.Suspend, Product: 7}, document)
			got := result.BatchResult(0)
			if err != nil || got.Document != document || got.Result != c.want.Result || got.Code != c.want.Code || len(f.sent("suspend")) != c.requests {
				t.Errorf("got %+v, %v after %d requests, want %+v after %d", got, err, len(f.sent("suspend")), c.want, c.requests)
			}
			if got.Result == api.ResultAccepted && (got.Status == nil || *got.Status != "waitingSuspension") {
				t.Errorf("got the status %v, want waitingSuspension", got.Status)
			}
		})
	}
}

// Whether a batch was scheduled cannot be read back from a server without idempotency keys.
func TestAnUnansweredScheduleIsToldForEachRow(t *testing.T) {
	f, server := newFixture(t, api.ExtSchedule)
	f.lose = func(request) bool { return true }
	job := &run.Provision{Client: server, Operation: api.Suspend, Product: 7, At: time.Now().Add(time.Hour)}
	got, err := collect(t, job, file(documents(3)...), run.Options{})
	if _, refused, _ := countResults(got); err != nil || refused != 3 || len(f.requests) != 1 {
		t.Errorf("got %+v, %v after %d requests, want each row told after one", got, err, len(f.requests))
	}
}

// A trial whose end has passed, because the run was interrupted or is slow, does not begin.
func TestNothingBeginsAfterItsEnd(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	f.add(numbered(1))
	job := &run.Provision{Client: server, Operation: api.Activate, Product: 7, Until: time.Now()}
	got, err := collect(t, job, file(documents(1)...), run.Options{Idempotency: true})
	if !isFailure(err, "too_late") || !got[numbered(1)].IsNotSent() || len(f.requests) != 0 {
		t.Errorf("got %+v, %v after %d requests, want none sent", got, err, len(f.requests))
	}
}

// Without knowing whether the server honours keys, nothing is sent.
func TestOneDocumentWaitsForTheExtensions(t *testing.T) {
	f := newServer(t, allExtensions)
	f.add(numbered(1), 7)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.Error(w, "", http.StatusServiceUnavailable)
			return
		}
		f.ServeHTTP(w, r)
	}))
	defer s.Close()
	c, err := client.New(client.Options{Server: s.URL, Retry: client.RetryPolicy{MaxAttempts: 1}})
	must(t, err)
	_, err = run.One(t.Context(), c, &run.Provision{Client: c, Operation: api.Suspend, Product: 7}, numbered(1))
	if client.KindOf(err) != client.KindUnavailable || len(f.requests) != 0 {
		t.Errorf("got %v after %d requests, want the failure of the extensions and no request", err, len(f.requests))
	}
}

// An import without an answer left a service in error: it is activated again, like a missing
// one.
func TestReadBackOfAnImportActivatesWhatIsInError(t *testing.T) {
	f, server := newFixture(t, "")
	f.become["import"] = api.Status{ID: api.StatusError, Name: "error"}
	f.lose = func(r request) bool { return r.is("import") }
	rows := file(numbered(1))
	rows[0].ProductsIDs = []api.Int{7}
	got, err := collect(t, &run.Import{Client: server}, rows, run.Options{})
	must(t, err)
	if o, status := got[numbered(1)], f.status(numbered(1), 7); o.Kind != api.ResultCreated || status != "inProgress" || len(f.sent("activate")) != 1 {
		t.Errorf("got %q with a service that is %s after %d activations, want created, inProgress, 1", o.Kind, status, len(f.sent("activate")))
	}
}

// A dry run on a server without dry runs predicts the next status from the current one and
// changes nothing.
func TestADryRunPredictsTheStatus(t *testing.T) {
	const (
		none    = api.Int(-1) // no service of the product
		unknown = api.Int(-2) // no such subscriber
	)
	for _, c := range []struct {
		operation api.Operation
		now       api.Int
		kind      string
		next      api.Int // 0 if it is not predicted
	}{
		{api.Activate, none, api.ResultAccepted, api.StatusInProgress},
		{api.Activate, api.StatusSuspend, api.ResultAccepted, api.StatusReactivated},
		{api.Activate, api.StatusActive, api.ResultUnchanged, api.StatusActive},
		{api.Suspend, none, api.ResultFailed, 0},
		{api.Suspend, unknown, api.ResultFailed, 0},
		{api.Suspend, api.StatusActive, api.ResultAccepted, api.StatusWaitingSuspension},
		{api.Suspend, api.StatusOverdue, api.ResultAccepted, 0},
		{api.Suspend, api.StatusCanceled, api.ResultFailed, 0},
		{api.Deactivate, api.StatusLimitReached, api.ResultAccepted, api.StatusCanceledWithoutActivation},
		{api.Overdue, api.StatusCanceledWithoutActivation, api.ResultFailed, 0},
		{api.Settle, api.StatusOverdue, api.ResultAccepted, 0},
	} {
		f, server := newFixture(t, "")
		switch c.now {
		case unknown:
		case none:
			f.add(numbered(1))
		default:
			s := &f.add(numbered(1), 7).Services[0]
			s.StatusID, s.Status = c.now, "now"
		}
		job := &run.Provision{Client: server, Operation: c.operation, Product: 7, DryRun: true}
		got, err := collect(t, job, file(numbered(1)), run.Options{})
		must(t, err)
		r := got[numbered(1)]
		if r.Kind != c.kind {
			t.Errorf("%s from status %d: got %+v, want %s", c.operation, c.now, r.Result, c.kind)
		}
		switch {
		case c.kind == api.ResultFailed:
			code := api.CodeServiceCanceled
			switch c.now {
			case unknown:
				code = api.CodeSubscriberNotFound
			case none:
				code = api.CodeServiceNotFound
			}
			if r.Code != code {
				t.Errorf("%s from status %d: got the code %q, want %q", c.operation, c.now, r.Code, code)
			}
		case len(r.Services) != 1 || r.Services[0].StatusID != c.next || r.Services[0].ProductID != 7 || c.now != none && r.Services[0].Previous != "now":
			t.Errorf("%s from status %d: got %+v, want status %d", c.operation, c.now, r.Services, c.next)
		}
		if len(f.requests) != 0 {
			t.Errorf("a dry run sent %+v", f.requests)
		}
	}
}

// A dry run is an error if the server's subscribers cannot be read.
func TestADryRunThatCannotReadIsAnError(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer s.Close()
	c, err := client.New(client.Options{Server: s.URL})
	must(t, err)
	got, err := collect(t, &run.Provision{Client: c, Operation: api.Suspend, Product: 7, DryRun: true}, file(numbered(1)), run.Options{})
	if r := got[numbered(1)]; err == nil || r.Err == nil {
		t.Errorf("got %+v, %v, want the refusal", r, err)
	}
}
