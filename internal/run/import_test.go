package run_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
)

// A request body stays well below the server's limit, however long the names.
func TestABatchIsCutByItsBytes(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	rows := file(documents(4000)...)
	// The first part is large and the second small: bytes of the first must
	// not count for the second.
	for _, r := range rows[:3600] {
		r.Name = strings.Repeat("\x01", 255) // six bytes each in JSON
		r.CustomerPlan = r.Name
	}
	_, err := collect(t, &run.Import{Client: server}, rows, run.Options{Rows: api.MaxImportRows, InFlight: 1, Idempotency: true})
	must(t, err)
	for _, r := range f.Requests {
		if len(r.Body) > api.MaxImportBytes/2 {
			t.Errorf("a request has %d bytes, want at most %d", len(r.Body), api.MaxImportBytes/2)
		}
	}
	if len(f.Requests) != 2 || !slices.Equal(f.Documents, documents(4000)) {
		t.Errorf("got %d requests and %d rows, want 2 with all rows in order", len(f.Requests), len(f.Documents))
	}
}

// Each product is activated for the subscribers that lack it, in order of
// products. A refusal is the result of each of their rows.
func TestExistingSubscribersAreActivatedAndUpdated(t *testing.T) {
	for name, extensions := range map[string]string{"with keys": allExtensions, "without keys": ""} {
		f, server := newFixture(t, extensions)
		addPeople(f, 3)
		f.Subscribers[numbered(3)].Services[0].StatusID = api.StatusCanceled
		f.Refuse = func(r apitest.Request) (int, string) {
			if r.Is("activate") && r.Product == 9 {
				return http.StatusUnprocessableEntity, api.CodeActionNotAllowed
			}
			return 0, ""
		}
		rows := file(numbered(1), numbered(2), numbered(3))
		rows[0].ProductsIDs, rows[1].ProductsIDs, rows[2].ProductsIDs = []api.Int{2, 1}, []api.Int{9}, []api.Int{1}
		rows[0].Name = "Novo Nome"
		before, err := run.ReadDocuments(t.Context(), server)
		must(t, err)
		o := run.Options{Idempotency: extensions != ""}
		if !o.Idempotency {
			o.Existing = before
		}
		got, err := collect(t, &run.Import{Client: server, ActivateExisting: true, UpdateExisting: true}, rows, o)
		must(t, err)
		if o := got[numbered(1)]; o.Kind != api.ResultExisting || len(o.Services) != 2 || f.Status(numbered(1), 2) != "inProgress" {
			t.Errorf("%s: got %+v, want both services", name, o)
		}
		if o := got[numbered(2)]; o.Kind != api.ResultFailed || o.Code != api.CodeActionNotAllowed || o.Field != api.FieldProductsIDs {
			t.Errorf("%s: got %+v, want the refusal of its product", name, o)
		}
		if f.Status(numbered(3), 1) != "inProgress" {
			t.Errorf("%s: the cancelled service is %q, want it activated", name, f.Status(numbered(3), 1))
		}
		if o := got[numbered(1)]; extensions == "" && !o.Updated {
			t.Errorf("%s: got %+v, want the name changed", name, o)
		}
	}
}

// An existing subscriber who cannot be read is not reported as one whose values are the same, nor as new.
func TestAnExistingSubscriberWhoCannotBeReadHasNoResult(t *testing.T) {
	f, server := newFixture(t, "")
	f.Add(numbered(1), 1)
	before, err := run.ReadDocuments(t.Context(), server)
	must(t, err)
	cut := apitest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, api.PathSubscribers) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		f.ServeHTTP(w, r)
	}), client.Options{Retry: apitest.Once()})
	got, err := collect(t, &run.Import{Client: cut, UpdateExisting: true}, file(numbered(1)), run.Options{Existing: before})
	if r := got[numbered(1)]; err == nil || r.Err == nil {
		t.Errorf("got %+v, %v, want the error of the read", r, err)
	}
	if all, err := run.ReadDocuments(t.Context(), cut); err == nil {
		t.Errorf("got the documents %v, want the error of the read", all)
	}
}

// A row that a detailed answer leaves out has an unknown result; the others keep theirs.
func TestARowThatTheAnswerLeavesOutIsUnknown(t *testing.T) {
	for op, existing := range map[string]bool{"import": false, "suspend": true, "activate": true} { // an import reports no services here
		f, server := newFixture(t, allExtensions)
		rows := file(documents(3)...)
		for _, row := range rows {
			if row.ProductsIDs = []api.Int{1}; existing {
				f.Add(row.Document)
			}
		}
		f.Omits = func(r apitest.Request, document string) bool { return r.Is(op) && document == numbered(1) }
		f.Fails = func(r apitest.Request, document string) string {
			if r.Is(op) && document == numbered(3) {
				return api.CodeOperationInProgress
			}
			return ""
		}
		var job run.Job = &run.Import{Client: server, ActivateExisting: true}
		if op == "suspend" {
			job = &run.Provision{Client: server, Operation: api.Suspend, Product: 1}
		}
		got, err := collect(t, job, rows, run.Options{Idempotency: true})
		if o := got[numbered(1)]; err == nil || o.Err == nil || !strings.Contains(o.Err.Error(), fmt.Sprint("line ", rows[0].Line)) {
			t.Errorf("%s: got %+v and %v, want an error that names the line", op, o.Result, err)
		}
		if o := got[numbered(2)]; o.Err != nil || o.Kind == api.ResultFailed || existing && len(o.Services) != 1 {
			t.Errorf("%s: got %+v for a row with an answer, want its service", op, o.Result)
		}
		if o := got[numbered(3)]; existing && (o.Kind != api.ResultFailed || o.Code != api.CodeOperationInProgress) {
			t.Errorf("%s: got %+v, want its own failure", op, o.Result)
		}
	}
}

// The first error of a row sets its code and field; the text joins all errors.
func TestTheErrorsOfARowAreJoined(t *testing.T) {
	for _, c := range []struct {
		errors              []api.FieldError
		code, field, detail string
	}{
		{nil, "", "", ""},
		{[]api.FieldError{{Code: "a"}}, "a", "", "a"},
		{[]api.FieldError{{Code: "a", Detail: "because"}}, "a", "", "because"},
		{[]api.FieldError{{Code: "a", Field: "name", Detail: "because"}}, "a", "name", "name: because"},
		{[]api.FieldError{{Code: "a", Field: "name"}, {Code: "b", Field: "email", Detail: "why"}}, "a", "name", "name: a | email: why"},
	} {
		f, server := newFixture(t, allExtensions)
		f.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
			err := json.NewEncoder(w).Encode(api.ImportResponse{Response: "success", ImportOutcome: api.ImportOutcome{Results: []api.ImportResult{
				{Index: 0, Result: api.ResultFailed, Errors: c.errors}, {Index: -1, Result: api.ResultCreated}, {Index: 1, Result: api.ResultCreated},
			}}})
			return err == nil
		}
		got, err := collect(t, &run.Import{Client: server}, file(numbered(1)), run.Options{Idempotency: true})
		if r := got[numbered(1)]; err != nil || r.Kind != api.ResultFailed || r.Code != c.code || r.Field != c.field || r.Detail != c.detail {
			t.Errorf("got %+v, %v, want %q %q %q", r.Result, err, c.code, c.field, c.detail)
		}
	}
}

// The rows of an activation may differ when it is sent again, because an update that was refused is
// accepted now. The server would refuse a key that it knows.
func TestAnActivationOfOtherRowsHasAnotherKey(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	rows := file(documents(2)...)
	for _, row := range rows {
		f.Add(row.Document).Name = "Bia"
		row.ProductsIDs = []api.Int{7}
	}
	again := false
	f.Refuse = func(r apitest.Request) (int, string) {
		if !again && r.Method == http.MethodPut && strings.HasSuffix(r.Path, numbered(1)) {
			return http.StatusUnprocessableEntity, "validation_failed"
		}
		return 0, ""
	}
	f.Lose = func(r apitest.Request) bool { return !again && r.Is("activate") }
	dir, job := t.TempDir(), &run.Import{Client: server, ActivateExisting: true, UpdateExisting: true}
	for range 2 {
		got, err := sendIn(t.Context(), t, dir, job, rows, run.Options{Idempotency: true})
		if !again && err == nil {
			t.Fatal("the answer is not lost")
		}
		if _, refused, unknown := countResults(got); again && (err != nil || refused+unknown > 0) {
			t.Errorf("got %+v, %v, want both activated", got, err)
		}
		again = true
	}
	for _, row := range rows {
		if got := f.Status(row.Document, 7); got != "inProgress" {
			t.Errorf("%s: got %q", row.Document, got)
		}
	}
}

// So may the fields of an update, when the server has its key but not that of the batch for certain.
func TestAnUpdateOfOtherFieldsHasAnotherKey(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	rows, clock := file(numbered(1)), time.Now()
	bia := f.Add(numbered(1))
	bia.Name, bia.CreatedAt = "Bia", api.At(clock.Add(-time.Hour))
	f.Lose = func(r apitest.Request) bool { return r.Method == http.MethodPut }
	dir := run.JournalDir{Path: t.TempDir(), Clock: func() time.Time { return clock }}
	sendAll := func() (map[string]run.RowResult, error) {
		j, err := dir.Open(spec, nil)
		must(t, err)
		defer j.Close()
		return send(t.Context(), &run.Import{Client: server, UpdateExisting: true}, rows, j, run.Options{Idempotency: true})
	}
	if _, err := sendAll(); err == nil {
		t.Fatal("the answer is not lost")
	}
	f.Lose, bia.Email, clock = nil, "bia@example.com", clock.Add(7*24*time.Hour-time.Minute)
	if got, err := sendAll(); err != nil || !got[numbered(1)].Updated {
		t.Errorf("got %+v, %v, want the e-mail address updated", got, err)
	}
}

// A batch that was halved is resumed in halves: sent whole, it would report the subscribers of an answered
// half as existing, and an undo would keep them. The rows of the other half count as not sent, also after
// a second run that fails.
func TestAHalvedBatchIsResumedInHalves(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	runs := 0
	f.Refuse = func(r apitest.Request) (int, string) {
		switch {
		case runs < 2 && len(r.Documents) > 2:
			return http.StatusRequestEntityTooLarge, ""
		case runs == 1, runs == 0 && r.Documents[0] != numbered(1):
			return http.StatusForbidden, ""
		}
		return 0, ""
	}
	dir := t.TempDir()
	for ; runs < 3; runs++ {
		got, err := sendIn(t.Context(), t, dir, &run.Import{Client: server}, file(documents(4)...), run.Options{Idempotency: true})
		all, listed := run.JournalDir{Path: dir}.List()
		must(t, listed)
		if info := all[0]; runs < 2 && (err == nil || info.Done != 2 || info.Unanswered != 0) {
			t.Errorf("interrupted: got %+v, %v, want 2 rows done and 2 not sent", info, err)
		}
		for d, r := range got {
			if r.Kind != api.ResultCreated && (runs == 2 || d <= numbered(2)) {
				t.Errorf("%s in run %d: got %q", d, runs, r.Kind)
			}
		}
	}
}
