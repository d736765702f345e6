package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// fixture is a server over HTTP with the API. With extensions it honours
// idempotency keys and reports each element; without, it follows api.md and
// nothing more.
type fixture struct {
	t          *testing.T
	extensions string

	mu          sync.Mutex
	documents   []string // in order of registration
	subscribers map[string]*api.Subscriber
	stored      map[string]stored // by idempotency key
	requests    []request
	carriedOut  []request // without repetitions of a key
	// refuse returns the status and code that refuse a whole request.
	refuse func(r request) (status int, code string)
	// fails returns the code of a document's failure in a batch, "" for none.
	fails func(r request, document string) string
	// lose breaks off the answer to a request that was carried out.
	lose func(r request) bool
	// drop breaks off a request before it is carried out.
	drop func(r request) bool
	// only is how many rows of a request are carried out; nil means all.
	only func(r request) int
	// first is the operation whose detailed answer lacks its first element, short the one whose
	// answer lacks its last.
	first string
	short bool
	// become is the status after an operation, if not the table's.
	become map[string]api.Status
}

// request is a write that arrived.
type request struct {
	n         int // from 1
	path, key string
	size      int
	product   api.Int
	documents []string
}

// stored is a request with an idempotency key and the answer to it.
type stored struct{ body, answer []byte }

// is reports whether the request is the operation.
func (r request) is(op string) bool { return path.Base(r.path) == op }

const allExtensions = api.ExtIdempotency + ", " + api.ExtOverdue

func newFixture(t *testing.T, extensions string) (*fixture, *client.Client) {
	t.Helper()
	f := newServer(t, extensions)
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	c, err := client.New(client.Options{Server: s.URL, Retry: client.RetryPolicy{MaxAttempts: 1},
		Transport: func(t *http.Transport) http.RoundTripper { return afterHandler{f, t} }})
	must(t, err)
	return f, c
}

// afterHandler returns from a request after its handler has: a connection that is broken off
// does not tell the race detector so.
type afterHandler struct {
	f *fixture
	http.RoundTripper
}

func (a afterHandler) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := a.RoundTripper.RoundTrip(r)
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	return response, err
}

// newServer returns a server without a network.
func newServer(t *testing.T, extensions string) *fixture {
	return &fixture{t: t, extensions: extensions, subscribers: map[string]*api.Subscriber{}, stored: map[string]stored{}, become: map[string]api.Status{
		"import": {ID: api.StatusInProgress, Name: "inProgress"}, "activate": {ID: api.StatusInProgress, Name: "inProgress"},
		"suspend": {ID: api.StatusWaitingSuspension, Name: "waitingSuspension"}, "deactivate": {ID: api.StatusWaitingCancellation, Name: "waitingCancellation"},
		"overdue": {ID: api.StatusWaitingSuspensionDueToOverdue, Name: "waitingSuspensionDueToOverdue"}, "settle": {ID: api.StatusReactivated, Name: "reactivated"},
		"change": {ID: api.StatusChanged, Name: "changed"},
	}}
}

// add registers a subscriber with a service of each product, all active.
func (f *fixture) add(document string, products ...api.Int) *api.Subscriber {
	s := &api.Subscriber{Name: "Ana " + document, Document: document, InternetSpeedID: api.DefaultInternetSpeed}
	for _, p := range products {
		s.Services = append(s.Services, api.Service{ProductID: p, StatusID: api.StatusActive, Status: "active"})
	}
	f.documents, f.subscribers[document] = append(f.documents, document), s
	return s
}

// addPeople adds n subscribers, each with product 1.
func (f *fixture) addPeople(n int) {
	for i := range n {
		f.add(numbered(i+1), 1)
	}
}

// status returns the status of the newest service of the product, "" for none.
func (f *fixture) status(document string, product api.Int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.subscribers[document]
	if s == nil {
		return ""
	}
	for _, service := range slices.Backward(s.Services) {
		if service.ProductID == product {
			return service.Status
		}
	}
	return ""
}

// sent returns the requests of the operation, in order.
func (f *fixture) sent(op string) []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.requests), func(r request) bool { return !r.is(op) })
}

func (f *fixture) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.extensions != "" {
		w.Header().Set(api.HeaderExtensions, f.extensions)
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		f.read(w, r.URL.Path)
		return
	}
	f.write(w, r, body)
}

func (f *fixture) answer(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		f.t.Error(err)
	}
}

func (f *fixture) read(w http.ResponseWriter, at string) {
	switch document, one := strings.CutPrefix(at, "/subscribers/"); {
	case at == "/products/status":
		f.answer(w, api.StatusesResponse{Statuses: api.List[api.Status]{{ID: 1, Name: "active"}}, Response: "success"})
	case at == "/subscribers":
		all := []*api.Subscriber{}
		for _, d := range f.documents {
			all = append(all, f.subscribers[d])
		}
		f.answer(w, map[string]any{"subscribers": all, "response": "success"})
	case one && f.subscribers[document] != nil:
		f.answer(w, api.SubscriberResponse{Subscriber: *f.subscribers[document], Response: "success"})
	default:
		http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
	}
}

func (f *fixture) write(w http.ResponseWriter, r *http.Request, body []byte) {
	q := request{n: len(f.requests) + 1, path: r.URL.Path, key: r.Header.Get(api.HeaderIdempotencyKey), size: len(body)}
	deleted := r.Method == http.MethodDelete
	if deleted {
		body = []byte("{}")
	}
	var in struct {
		api.ImportRequest
		api.BatchRequest
		api.ChangeRequest
	}
	if err := json.Unmarshal(body, &in); err != nil {
		f.t.Errorf("%s: %v", q.path, err)
	}
	q.product, q.documents = in.Product, in.Documents
	for _, row := range in.Subscribers {
		q.documents = append(q.documents, row.Document)
	}
	if in.Document != "" {
		q.product, q.documents = in.ProductID, []string{in.Document}
	}
	f.requests = append(f.requests, q)
	if f.drop != nil && f.drop(q) {
		panic(http.ErrAbortHandler)
	}
	if f.refuse != nil {
		if status, code := f.refuse(q); status != 0 {
			w.WriteHeader(status)
			f.answer(w, map[string]any{"response": "error", "code": code, "message": "refused: " + code})
			return
		}
	}
	if at, ok := strings.CutSuffix(q.path, "/validate"); ok {
		f.validate(w, at, q)
		return
	}
	before, replayed := f.stored[q.key]
	replayed = replayed && strings.Contains(f.extensions, api.ExtIdempotency)
	if replayed && !bytes.Equal(before.body, body) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		f.answer(w, map[string]string{"response": "error", "code": api.CodeIdempotencyKeyReused, "message": "another body"})
		return
	}
	answer := before.answer
	if !replayed {
		f.carriedOut = append(f.carriedOut, q)
		document, ok := strings.CutPrefix(q.path, "/subscribers/")
		switch {
		case ok && deleted:
			if !f.delete(w, document) {
				return
			}
		case ok && f.subscribers[document] != nil:
			f.update(f.subscribers[document], body)
		}
		answer = f.do(q, in.Subscribers, in.PreviousProductID)
		f.stored[q.key] = stored{body, answer}
	}
	if f.lose != nil && f.lose(q) {
		panic(http.ErrAbortHandler)
	}
	_, _ = io.Copy(w, bytes.NewReader(answer))
}

// update sets the fields of a change that have a value.
func (f *fixture) update(s *api.Subscriber, body []byte) {
	var u api.SubscriberUpdate
	if err := json.Unmarshal(body, &u); err != nil {
		f.t.Error(err)
	}
	for _, text := range []struct {
		field *string
		new   api.Optional[string]
	}{{&s.Name, u.Name}, {&s.Email, u.Email}, {&s.Phone, u.Phone}, {&s.CustomerPlan, u.CustomerPlan}} {
		if text.new.Set {
			*text.field = text.new.Value
		}
	}
	if u.InternetSpeedID.Set {
		s.InternetSpeedID = u.InternetSpeedID.Value
	}
}

// delete deletes a subscriber, or refuses to.
func (f *fixture) delete(w http.ResponseWriter, document string) bool {
	s := f.subscribers[document]
	switch {
	case s == nil:
		http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
		return false
	case slices.ContainsFunc(s.Services, func(s api.Service) bool { return s.StatusID != api.StatusCanceled }):
		http.Error(w, `{"message":"it has services"}`, http.StatusConflict)
		return false
	}
	delete(f.subscribers, document)
	f.documents = slices.DeleteFunc(f.documents, func(d string) bool { return d == document })
	return true
}

// validate answers a dry run of a batch, or of a change.
func (f *fixture) validate(w http.ResponseWriter, at string, q request) {
	q.path = at
	var results []api.BatchResult
	for i, d := range q.documents {
		r := api.BatchResult{Index: i, Document: d, Result: api.ResultAccepted}
		if f.fails != nil {
			if r.Code = f.fails(q, d); r.Code != "" {
				r.Result = api.ResultFailed
			}
		}
		results = append(results, r)
	}
	switch {
	case !q.is("change"):
		f.answer(w, api.BatchResponse{Response: "success", BatchOutcome: api.BatchOutcome{Results: results}})
	case results[0].Code != "":
		w.WriteHeader(http.StatusConflict)
		f.answer(w, map[string]string{"response": "error", "code": results[0].Code})
	default:
		f.answer(w, api.ChangeResponse{Response: "success", Result: results[0]})
	}
}

// do carries a request out and returns the answer.
func (f *fixture) do(q request, rows []api.ImportRow, previous api.Int) []byte {
	var imported []api.ImportResult
	var provisioned []api.BatchResult
	for i, d := range q.documents {
		if f.only != nil && i >= f.only(q) {
			break
		}
		switch {
		case q.is("import"):
			imported = append(imported, f.importRow(i, rows[i]))
		case strings.HasPrefix(q.path, "/provision/"):
			provisioned = append(provisioned, f.provision(q, i, d, previous))
		}
	}
	if f.first != "" && q.is(f.first) {
		provisioned = provisioned[1:]
	}
	if f.short {
		imported, provisioned = imported[:max(0, len(imported)-1)], provisioned[:max(0, len(provisioned)-1)]
	}
	var v any = map[string]string{"response": "success"}
	switch {
	case f.extensions == "":
	case q.is("import"):
		v = api.ImportResponse{Response: "success", ImportOutcome: api.ImportOutcome{Results: imported}}
	case q.is("change"):
		v = api.ChangeResponse{Response: "success", Result: provisioned[0]}
	case provisioned != nil:
		v = api.BatchResponse{Response: "success", BatchOutcome: api.BatchOutcome{ProductID: q.product, Results: provisioned}}
	}
	answer, err := json.Marshal(v)
	if err != nil {
		f.t.Error(err)
	}
	return answer
}

func (f *fixture) importRow(i int, row api.ImportRow) api.ImportResult {
	r := api.ImportResult{Index: i, Document: row.Document, Result: api.ResultCreated}
	if f.subscribers[row.Document] != nil {
		r.Result = api.ResultExisting
		if f.subscribers[row.Document].Name != row.Name {
			r.Differs = []string{api.FieldName}
		}
		return r
	}
	s := f.add(row.Document, row.ProductsIDs...)
	s.Name, s.Email, s.Phone, s.CustomerPlan = row.Name, row.Email, row.Phone, row.CustomerPlan
	for n := range s.Services {
		s.Services[n].StatusID, s.Services[n].Status = f.become["import"].ID, f.become["import"].Name
	}
	return r
}

func (f *fixture) provision(q request, i int, document string, previous api.Int) api.BatchResult {
	r := api.BatchResult{Index: i, Document: document, Result: api.ResultFailed, Code: api.CodeSubscriberNotFound}
	s := f.subscribers[document]
	if s == nil {
		return r
	}
	if f.fails != nil {
		if r.Code = f.fails(q, document); r.Code != "" {
			return r
		}
	}
	to := f.become[path.Base(q.path)]
	r.Result, r.Code, r.Status, r.StatusID = api.ResultAccepted, "", &to.Name, &to.ID
	for n := range s.Services {
		if at := &s.Services[n]; at.ProductID == q.product || previous != 0 && at.ProductID == previous {
			before := at.Status
			r.PreviousStatus = &before
			at.ProductID, at.StatusID, at.Status = q.product, to.ID, to.Name
			return r
		}
	}
	if q.is("activate") {
		s.Services = append(s.Services, api.Service{TokenCreatedAt: api.At(time.Unix(int64(q.n), 0)), ProductID: q.product, StatusID: to.ID, Status: to.Name})
	}
	return r
}

// numbered returns the i-th document.
func numbered(i int) string { return fmt.Sprintf("%011d", i) }

// file returns rows with the documents, from line 2 on.
func file(documents ...string) []*sheet.Row {
	all := make([]*sheet.Row, len(documents))
	for i, d := range documents {
		all[i] = &sheet.Row{Line: i + 2}
		all[i].Document, all[i].Name, all[i].InternetSpeedID = d, "Ana "+d, api.Some[api.Int](api.DefaultInternetSpeed)
	}
	return all
}

// seq yields the rows.
func seq(rows []*sheet.Row) func(func(*sheet.Row, error) bool) {
	return func(yield func(*sheet.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// collect runs a job without a journal and returns the outcomes by document.
func collect(t *testing.T, job run.Job, rows []*sheet.Row, o run.Options) (map[string]run.RowResult, error) {
	t.Helper()
	return send(t.Context(), job, rows, nil, o)
}

// send is collect with a journal.
func send(ctx context.Context, job run.Job, rows []*sheet.Row, j *run.Journal, o run.Options) (map[string]run.RowResult, error) {
	all := map[string]run.RowResult{}
	err := run.Run(ctx, job, seq(rows), j, o, func(r run.RowResult) error {
		all[r.Row.Document] = r
		return nil
	})
	return all, err
}

// must ends the test if there is an error.
func must(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
