package run_test

import (
	"context"
	"encoding/json"
	"errors"
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

// A batch without an answer is read back if the server keeps no keys. A service that failed counts as
// not done and is sent again.
func TestReadBackSendsAgainWhatFailed(t *testing.T) {
	f, server := newFixture(t, "")
	f.Add(numbered(1))
	usual := f.Become["activate"]
	f.Become["activate"] = api.Status{ID: api.StatusError, Name: "error"}
	f.Lose = func(r apitest.Request) bool { f.Become["activate"] = usual; return r.N == 1 }
	got, err := collect(t, &run.Provision{Client: server, Operation: api.Activate, Product: 7}, file(numbered(1)), run.Options{})
	if o := got[numbered(1)]; err != nil || len(f.Requests) != 2 || o.Kind != api.ResultAccepted || len(o.Services) != 1 || o.Services[0].Status != usual.Name {
		t.Errorf("got %+v, %v after %d requests, want it accepted after 2", o.Result, err, len(f.Requests))
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

// A request without an answer whose effect cannot be read either may have been carried out, and is not
// sent again.
func TestALostAnswerThatCannotBeReadBackIsUnknown(t *testing.T) {
	for name, job := range map[string]func(*client.Client) run.Job{
		"a suspension": func(c *client.Client) run.Job { return &run.Provision{Client: c, Operation: api.Suspend, Product: 7} },
		"an import":    func(c *client.Client) run.Job { return &run.Import{Client: c} },
	} {
		f, server := newFixture(t, "")
		f.Add(numbered(1), 7)
		f.Lose = func(apitest.Request) bool { return true }
		f.Answer = unreadable(http.StatusServiceUnavailable)
		_, err := collect(t, job(server), file(numbered(1)), run.Options{})
		if !client.MayHaveEffect(err) || !strings.Contains(failure.Text(lang.English, err), "may have been carried out") || len(f.Requests) != 1 {
			t.Errorf("%s: got %v after %d requests, want an unknown outcome after one", name, err, len(f.Requests))
		}
	}
}

// A request that may have had its effect is not sent again after an interruption, which says so.
func TestAnInterruptedRequestMayHaveHadItsEffect(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	ctx, interrupt := context.WithCancel(t.Context())
	f.Refuse = func(apitest.Request) (int, string) {
		interrupt()
		return http.StatusConflict, api.CodeRequestInProgress
	}
	_, err := send(ctx, &run.Provision{Client: server, Operation: api.Suspend, Product: 7}, file(numbered(1)), nil, run.Options{Idempotency: true})
	if len(f.Requests) != 1 || !errors.Is(err, context.Canceled) || !client.MayHaveEffect(err) || failure.OutcomeOf(err).Exit != failure.ExitInterrupted {
		t.Errorf("got %v, want an interruption with an unknown outcome", err)
	}
}

// The result of a single document has all that the server says, or that it says nothing, and its refusal
// is a result.
func TestOneDocumentHasAResult(t *testing.T) {
	waiting, active, id := "waitingSuspension", "active", api.StatusWaitingSuspension
	whole := api.BatchResult{Index: 3, Document: numbered(1), Result: api.ResultAccepted, Status: &waiting, StatusID: &id, PreviousStatus: &active, QueuePosition: 4, OperationID: "op_7"}
	refused := api.BatchResult{Index: 3, Document: numbered(1), Result: api.ResultFailed, Code: api.CodeServiceOverdue, Detail: "refused: service_overdue"}
	silent := api.BatchResult{Index: 3, Document: numbered(1), Result: api.ResultFailed, Detail: "the server does not say why"}
	coded := silent
	coded.Code = api.CodeValidationFailed // the client's, for the status
	for _, want := range []api.BatchResult{whole, refused, silent, coded} {
		f, server := newFixture(t, allExtensions)
		f.Refuse = func(apitest.Request) (int, string) { return http.StatusConflict, api.CodeServiceOverdue }
		f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
			answers := r.Is("suspend") && want.Detail != refused.Detail
			switch {
			case answers && want.Code != "":
				w.WriteHeader(http.StatusUnprocessableEntity)
			case answers:
				of := want
				of.Index, of.Detail = 0, ""
				_ = json.NewEncoder(w).Encode(api.BatchResponse{Response: "success", BatchOutcome: api.BatchOutcome{Results: []api.BatchResult{of}}})
			}
			return answers
		}
		result, err := run.One(t.Context(), server, &run.Provision{Client: server, Operation: api.Suspend, Product: 7}, numbered(1))
		if diff := cmp.Diff(result.BatchResult(3), want); err != nil || diff != "" {
			t.Errorf("got %v (- got, + want):\n%s", err, diff)
		}
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
// A row that is read back after its key expired may lack the end that --until gives it.
func TestAnEndThatMayBeMissingIsReported(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	f.Add(numbered(1), 7)
	job := &run.Provision{Client: server, Operation: api.Activate, Product: 7, Until: time.Now().Add(time.Hour)}
	got, err := job.ReadBack(t.Context(), run.Batch{Rows: file(numbered(1))})
	if err != nil || len(got) != 1 || !got[0].IsUnscheduled() {
		t.Errorf("got %+v, %v, want a row that may have no end", got, err)
	}
}

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
func TestNothingIsSentBeforeTheExtensionsAreKnown(t *testing.T) {
	f, c := newFixture(t, "")
	f.Add(numbered(1), 7)
	f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return r.Method == http.MethodGet
	}
	_, err := run.One(t.Context(), c, &run.Provision{Client: c, Operation: api.Suspend, Product: 7}, numbered(1))
	p := run.Plan{Actions: []run.Action{{Kind: run.ActionSuspend, Document: numbered(1), ProductID: 7, Operation: api.Suspend}}}
	planErr := p.Apply(t.Context(), c, nil, run.Options{}, func(*run.Action, run.RowResult) error { return nil })
	for _, err := range []error{err, planErr} {
		if client.KindOf(err) != client.KindUnavailable || len(f.Requests) != 0 {
			t.Errorf("got %v after %d requests, want the failure of the extensions and no request", err, len(f.Requests))
		}
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

// Of a subscriber's two e-mails one is refused. If the other was sent before, the row counts neither as
// refused nor as not sent, and is not sent again. If the server has nothing to send for one, the other counts.
func TestAResendThatIsPartlyRefused(t *testing.T) {
	for _, c := range []struct {
		request int // that is refused
		code    string
		want    run.Result
		unknown bool
	}{
		{2, "no", run.Result{}, true},
		{1, api.CodeNothingToResend, run.Result{Kind: api.ResultSent, Services: []run.Service{{ProductID: 2}, {ProductID: 1}}}, false},
		{2, api.CodeNothingToResend, run.Result{Kind: api.ResultSent, Services: []run.Service{{ProductID: 1}, {ProductID: 2}}}, false},
	} {
		f, server := newFixture(t, allExtensions+", "+api.ExtResendProduct)
		f.Add(numbered(1)).Services = []api.Service{{ProductID: 1, StatusID: api.StatusInProgress}, {ProductID: 2, StatusID: api.StatusInProgress}}
		f.Refuse = func(r apitest.Request) (int, string) {
			return map[int]int{c.request: http.StatusUnprocessableEntity}[r.N], c.code
		}
		answers := 0
		job := &run.Resend{Client: server, Answered: func(client.WriteResult[api.ResendResponse]) { answers++ }}
		got, err := collect(t, job, file(numbered(1)), run.Options{Idempotency: true})
		result := got[numbered(1)].Result
		result.Err = nil
		for i := range result.Services {
			result.Services[i].StatusID = 0
		}
		if _, _, unknown := countResults(got); (err != nil) != c.unknown || (unknown == 1) != c.unknown || answers != 1 || len(f.Requests) != 2 || !cmp.Equal(result, c.want) {
			t.Errorf("%s for request %d: got %+v, %v and %d answers after %d requests, want %+v after 2", c.code, c.request, result, err, answers, len(f.Requests), c.want)
		}
	}
}
