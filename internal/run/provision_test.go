package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/failure"
	"ativa/internal/lang"
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
	} {
		t.Run(string(c.operation)+" "+c.status.Name, func(t *testing.T) {
			f, server := newFixture(t, "")
			f.Add(numbered(1), 7)
			op := string(c.operation)
			usual := f.Become[op]
			f.Become[op] = c.status
			f.Lose = func(r apitest.Request) bool { f.Become[op] = usual; return r.N == 1 }
			job := &run.Provision{Client: server, Operation: c.operation, Product: 7}
			got, err := collect(t, job, file(numbered(1)), run.Options{})
			must(t, err)
			want, requests := c.status.Name, 1
			if c.again {
				want, requests = usual.Name, 2
			}
			o := got[numbered(1)]
			if n := len(f.Sent(op)); n != requests || o.Kind != api.ResultAccepted || len(o.Services) != 1 || o.Services[0].Status != want {
				t.Errorf("got %q %+v after %d requests, want accepted, %s after %d", o.Kind, o.Services, n, want, requests)
			}
		})
	}
}

// unreadable answers the reading of a subscriber with a status.
func unreadable(status int) func(http.ResponseWriter, apitest.Request) bool {
	return func(w http.ResponseWriter, r apitest.Request) bool {
		fails := r.Method == http.MethodGet && strings.HasPrefix(r.Path, "/subscribers/")
		if fails {
			w.WriteHeader(status)
		}
		return fails
	}
}

// A server without details accepts a batch, and the read that follows fails, however: the error says
// that the batch was accepted, no row counts as refused, and nothing is sent again.
func TestAnAcceptedBatchThatCannotBeReadIsNotSentAgain(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusUnprocessableEntity, http.StatusServiceUnavailable} {
		for _, documents := range [][]string{documents(1), documents(4)} {
			f, server := newFixture(t, "")
			for _, d := range documents {
				f.Add(d, 7)
			}
			f.Answer = unreadable(status)
			got, err := collect(t, &run.Provision{Client: server, Operation: api.Suspend, Product: 7}, file(documents...), run.Options{})
			refusal, answered := errors.AsType[*client.Error](err)
			if !answered || refusal.Status != status || !strings.HasPrefix(failure.Text(lang.English, err), "accepted, but the result could not be read: ") ||
				failure.OutcomeOf(err).Exit != refusal.Outcome().Exit {
				t.Errorf("%d for %d documents: got %v, want it accepted", status, len(documents), err)
			}
			if _, refused, unknown := countResults(got); refused != 0 || unknown != len(documents) || len(f.Sent("suspend")) != 1 {
				t.Errorf("%d for %d documents: got %d refused, %d unknown, %d requests, want 0, all and 1", status, len(documents), refused, unknown, len(f.Sent("suspend")))
			}
		}
	}
}

// The report says that the server gave no reason for a refusal.
func TestARefusalWithoutAReasonSaysSo(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		if r.N > 0 {
			_, _ = io.WriteString(w, `{"response":"partial","summary":{},"results":[{"index":0,"result":"failed"}]}`)
		}
		return r.N > 0
	}
	got, err := run.One(t.Context(), server, &run.Provision{Client: server, Operation: api.Suspend, Product: 7}, numbered(1))
	must(t, err)
	if why := (lang.Refusal{Code: got.Code, Detail: got.Detail}).Text(lang.Portuguese); got.Kind != api.ResultFailed || why != "o servidor não diz por quê" {
		t.Errorf("got %q, %q", got.Kind, why)
	}
}

// A request without an answer whose effect cannot be read either may have been carried out.
func TestALostAnswerThatCannotBeReadBackIsUnknown(t *testing.T) {
	f, server := newFixture(t, "")
	f.Add(numbered(1), 7)
	f.Lose = func(apitest.Request) bool { return true }
	f.Answer = unreadable(http.StatusServiceUnavailable)
	_, err := collect(t, &run.Provision{Client: server, Operation: api.Suspend, Product: 7}, file(numbered(1)), run.Options{})
	if !client.MayHaveEffect(err) || !strings.Contains(failure.Text(lang.English, err), "may have been carried out") {
		t.Errorf("got %v, want an unknown outcome", err)
	}
}

// A request that may have had its effect is not sent again after an interruption, which says so.
func TestAnInterruptedRequestMayHaveHadItsEffect(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	job := &memoryJob{fail: func(int, run.Batch) error {
		interrupt()
		return &client.Error{Route: "POST /provision/suspend", Status: http.StatusConflict, Code: api.CodeRequestInProgress, Retryable: true, Unknown: true}
	}}
	_, err := send(ctx, job, file(numbered(1)), nil, run.Options{Idempotency: true})
	if !errors.Is(err, context.Canceled) || !client.MayHaveEffect(err) || failure.OutcomeOf(err).Exit != failure.ExitInterrupted {
		t.Errorf("got %v, want an interruption with an unknown outcome", err)
	}
}

// A single document is retried like a run: a refusal is a result, a lost answer is read back
// and the request repeated only if it had no effect, and with a key the same request is
// sent again.
func TestOneDocumentIsRetriedLikeARun(t *testing.T) {
	document, place, waiting, active, id := numbered(1), 4, "waitingSuspension", "active", api.StatusWaitingSuspension
	accepted := api.BatchResult{Index: 3, Document: document, Result: api.ResultAccepted, Status: &waiting, StatusID: &id}
	whole := accepted
	whole.PreviousStatus, whole.QueuePosition, whole.OperationID = &active, place, "op_7"
	refusal := func(detail string) api.BatchResult {
		return api.BatchResult{Index: 3, Document: document, Result: api.ResultFailed, Code: api.CodeServiceOverdue, Detail: detail}
	}
	for _, c := range []struct {
		name, extensions string
		set              func(f *apitest.Server)
		want             api.BatchResult
		requests         int
	}{
		{"done", "", func(*apitest.Server) {}, accepted, 1},
		{"refused", "", func(f *apitest.Server) {
			f.Refuse = func(apitest.Request) (int, string) { return 409, api.CodeServiceOverdue }
		}, refusal("refused: service_overdue"), 1},
		{"element refused", allExtensions, func(f *apitest.Server) {
			f.Fails = func(apitest.Request, string) string { return api.CodeServiceOverdue }
		}, refusal(""), 1},
		{"answer lost", "", func(f *apitest.Server) { f.Lose = func(r apitest.Request) bool { return r.N == 1 } }, accepted, 1},
		{"request lost", "", func(f *apitest.Server) { f.Drop = func(r apitest.Request) bool { return r.N == 1 } }, accepted, 2},
		{"all that the server says", allExtensions, func(f *apitest.Server) {
			f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
				if r.Is("suspend") {
					of := whole
					of.Index = 0
					_ = json.NewEncoder(w).Encode(api.BatchResponse{Response: "success", BatchOutcome: api.BatchOutcome{Results: []api.BatchResult{of}}})
				}
				return r.Is("suspend")
			}
		}, whole, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, server := newFixture(t, c.extensions)
			f.Add(document, 7)
			c.set(f)
			result, err := run.One(t.Context(), server, &run.Provision{Client: server, Operation: api.Suspend, Product: 7}, document)
			got := result.BatchResult(3)
			if diff := cmp.Diff(got, c.want); err != nil || diff != "" || len(f.Sent("suspend")) != c.requests {
				t.Errorf("got %v after %d requests, want %d (- got, + want):\n%s", err, len(f.Sent("suspend")), c.requests, diff)
			}
		})
	}
}

// Whether a batch was scheduled cannot be read back from a server without idempotency keys.
func TestAnUnansweredScheduleIsReportedForEachRow(t *testing.T) {
	f, server := newFixture(t, api.ExtSchedule)
	f.Lose = func(apitest.Request) bool { return true }
	job := &run.Provision{Client: server, Operation: api.Suspend, Product: 7, At: time.Now().Add(time.Hour)}
	got, err := collect(t, job, file(documents(3)...), run.Options{})
	if _, refused, _ := countResults(got); err != nil || refused != 3 || len(f.Requests) != 1 {
		t.Errorf("got %+v, %v after %d requests, want each row refused after one", got, err, len(f.Requests))
	}
}

// A trial whose end has passed, because the run was interrupted or is slow, does not begin.
func TestNothingBeginsAfterItsEnd(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	f.Add(numbered(1))
	job := &run.Provision{Client: server, Operation: api.Activate, Product: 7, Until: time.Now()}
	got, err := collect(t, job, file(documents(1)...), run.Options{Idempotency: true})
	if !isFailure(err, "too_late") || !got[numbered(1)].IsNotSent() || len(f.Requests) != 0 {
		t.Errorf("got %+v, %v after %d requests, want none sent", got, err, len(f.Requests))
	}
}

// Without knowing whether the server honours keys, nothing is sent.
func TestOneDocumentWaitsForTheExtensions(t *testing.T) {
	f, c := newFixture(t, allExtensions)
	f.Add(numbered(1), 7)
	f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return r.Method == http.MethodGet
	}
	_, err := run.One(t.Context(), c, &run.Provision{Client: c, Operation: api.Suspend, Product: 7}, numbered(1))
	if client.KindOf(err) != client.KindUnavailable || len(f.Requests) != 0 {
		t.Errorf("got %v after %d requests, want the failure of the extensions and no request", err, len(f.Requests))
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
		operation  api.Operation
		now        api.Int
		kind, code string
		next       api.Int // 0 if it is not predicted
	}{
		{api.Activate, none, api.ResultAccepted, "", api.StatusInProgress},
		{api.Activate, api.StatusSuspend, api.ResultAccepted, "", api.StatusReactivated},
		{api.Activate, api.StatusActive, api.ResultUnchanged, "", api.StatusActive},
		{api.Suspend, none, api.ResultFailed, api.CodeServiceNotFound, 0},
		{api.Suspend, unknown, api.ResultFailed, api.CodeSubscriberNotFound, 0},
		{api.Suspend, api.StatusActive, api.ResultAccepted, "", api.StatusWaitingSuspension},
		{api.Suspend, api.StatusOverdue, api.ResultAccepted, "", 0},
		{api.Suspend, api.StatusCanceled, api.ResultFailed, api.CodeServiceCanceled, 0},
		{api.Deactivate, api.StatusLimitReached, api.ResultAccepted, "", api.StatusCanceledWithoutActivation},
		{api.Overdue, api.StatusCanceledWithoutActivation, api.ResultFailed, api.CodeServiceCanceled, 0},
		{api.Settle, api.StatusOverdue, api.ResultAccepted, "", 0},
	} {
		f, server := newFixture(t, "")
		switch c.now {
		case unknown:
		case none:
			f.Add(numbered(1))
		default:
			s := &f.Add(numbered(1), 7).Services[0]
			s.StatusID, s.Status = c.now, "now"
		}
		job := &run.Provision{Client: server, Operation: c.operation, Product: 7, DryRun: true}
		got, err := collect(t, job, file(numbered(1)), run.Options{})
		must(t, err)
		r := got[numbered(1)]
		if r.Kind != c.kind || r.Code != c.code || len(f.Requests) != 0 {
			t.Errorf("%s from status %d: got %+v and %d requests, want %s, %q and none", c.operation, c.now, r.Result, len(f.Requests), c.kind, c.code)
		}
		if c.code == "" && (len(r.Services) != 1 || r.Services[0].StatusID != c.next || r.Services[0].ProductID != 7 || c.now != none && r.Services[0].Previous != "now") {
			t.Errorf("%s from status %d: got %+v, want status %d", c.operation, c.now, r.Services, c.next)
		}
	}
}

// A server that follows only api.md has no code for a deleted subscriber.
func TestAnUnknownSubscriberDoesNotEndAResendOnAnotherServer(t *testing.T) {
	f, server := newFixture(t, "")
	f.Refuse = func(r apitest.Request) (int, string) {
		if slices.Contains(r.Documents, numbered(1)) {
			return http.StatusNotFound, ""
		}
		return 0, ""
	}
	var got []string
	err := run.Run(t.Context(), &run.Resend{Client: server, All: true}, seq(file(documents(2)...)), nil, run.Options{Rows: 1, InFlight: 1}, func(r run.RowResult) error {
		got = append(got, r.Kind)
		return nil
	})
	if err != nil || len(got) != 2 || got[0] != api.ResultFailed || got[1] != api.ResultSent {
		t.Errorf("got %q, %v, want the first refused and the second sent", got, err)
	}
}
