package run_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// A batch that is too large or takes too long is sent in halves, whose keys
// derive from its key. No row is lost or registered twice.
func TestABatchIsHalved(t *testing.T) {
	for _, c := range []struct {
		name     string
		status   int // of requests with more rows than the server takes
		most     int
		requests []int // their rows
	}{
		{"413", http.StatusRequestEntityTooLarge, 25, []int{100, 50, 25, 25, 50, 25, 25}},
		{"413 with one row at a time", http.StatusRequestEntityTooLarge, 1, nil},
		{"408", http.StatusRequestTimeout, 50, []int{100, 50, 50}},
		{"504", http.StatusGatewayTimeout, 25, []int{100, 50, 25, 25, 50, 25, 25}},
	} {
		for _, extensions := range []string{allExtensions, ""} {
			f, server := newFixture(t, extensions)
			f.Refuse = func(r apitest.Request) (int, string) {
				return map[bool]int{true: c.status}[len(r.Documents) > c.most], ""
			}
			got, err := collect(t, &run.Import{Client: server}, file(documents(100)...), run.Options{Idempotency: extensions != ""})
			if done, _, _ := countResults(got); err != nil || done != 100 || !slices.Equal(f.Documents, documents(100)) {
				t.Errorf("%s, %q: got %v, %d done, %d registered, want 100 in order of rows", c.name, extensions, err, done, len(f.Documents))
			}
			keys := map[string]bool{}
			for _, r := range f.Requests {
				if keys[r.Key] || !strings.HasPrefix(r.Key, f.Requests[0].Key) {
					t.Errorf("%s, %q: got the key %q, want a new one that begins with %q", c.name, extensions, r.Key, f.Requests[0].Key)
				}
				keys[r.Key] = true
			}
			if extensions != "" && c.requests != nil && !slices.Equal(sizes(f), c.requests) {
				t.Errorf("%s: got requests of %v rows, want %v", c.name, sizes(f), c.requests)
			}
		}
	}
}

// sizes returns the number of rows of each import.
func sizes(f *apitest.Server) (all []int) {
	for _, r := range f.Sent("import") {
		all = append(all, len(r.Documents))
	}
	return all
}

// A batch is halved twice after time-outs, and sent four times to a server without idempotency that never
// processes it. Then the run ends. All rows were sent, in the first request.
func TestARunEndsIfTheServerNeverAnswers(t *testing.T) {
	for _, c := range []struct {
		extensions string
		timeout    bool
		want       []int // rows of the requests
	}{
		{allExtensions, true, []int{100, 50, 25}},
		{"", false, []int{100, 100, 100, 100}},
	} {
		f, server := newFixture(t, c.extensions)
		f.Drop = func(apitest.Request) bool { return !c.timeout }
		f.Refuse = func(apitest.Request) (int, string) { return http.StatusGatewayTimeout, "" }
		got, err := collect(t, &run.Import{Client: server}, file(documents(100)...), run.Options{Idempotency: c.extensions != ""})
		if _, _, unknown := countResults(got); err == nil || client.IsTimeout(err) != c.timeout || !slices.Equal(sizes(f), c.want) || unknown != 100 {
			t.Errorf("got %v after requests of %v rows, %d of %d rows unknown", err, sizes(f), unknown, len(got))
		}
	}
}

// A refusal that names no row is narrowed down to the rows that cause it, but not if the
// request itself is the cause.
func TestARefusalIsNarrowedDown(t *testing.T) {
	for _, c := range []struct {
		name, code string
		status     int
		most       int // requests
		refused    int // rows with that result; 0 means that the run ends with the error
		unknown    int // rows then
	}{
		{"bad request", "invalid", http.StatusBadRequest, 12, 1, 0},
		{"conflict", "conflict", http.StatusConflict, 12, 1, 0},
		{"unprocessable", "invalid", http.StatusUnprocessableEntity, 12, 1, 0},
		{"unknown product", api.CodeUnknownProduct, http.StatusUnprocessableEntity, 1, 0, 0},
		{"inactive product", api.CodeProductInactive, http.StatusConflict, 1, 0, 0},
		{"action not allowed", api.CodeActionNotAllowed, http.StatusConflict, 1, 0, 0},
		{"no such path", "", http.StatusNotFound, 1, 0, 0},
		{"forbidden", "", http.StatusForbidden, 1, 0, 0},
		{"the same key is being processed", api.CodeRequestInProgress, http.StatusConflict, 4, 0, 32},
	} {
		f, server := newFixture(t, allExtensions)
		for _, d := range documents(32) {
			f.Add(d, 7)
		}
		bad := numbered(20)
		f.Refuse = func(r apitest.Request) (int, string) {
			if slices.Contains(r.Documents, bad) {
				return c.status, c.code
			}
			return 0, ""
		}
		job := &run.Provision{Client: server, Operation: api.Suspend, Product: 7}
		got, err := collect(t, job, file(documents(32)...), run.Options{Idempotency: true})
		done, refused, unknown := countResults(got)
		switch sent := len(f.Sent("suspend")); {
		case sent > c.most || refused != c.refused:
			t.Errorf("%s: got %d requests and %d rows refused, want at most %d and %d", c.name, sent, refused, c.most, c.refused)
		case c.refused == 0:
			if e, ok := errors.AsType[*client.Error](err); !ok || e.Status != c.status || done != 0 || unknown != c.unknown || len(got) != 32 {
				t.Errorf("%s: got %v, %d done, %d unknown, want the refusal for all", c.name, err, done, unknown)
			}
		case err != nil || done != 31 || got[bad].Code != c.code || suspended(f) != 31:
			t.Errorf("%s: got %v, %d done, %+v", c.name, err, done, got[bad].Result)
		}
	}
}

// A product of the unchanged file has another id by now: changed rows are not sent with their
// old key, and neither are halves.
func TestChangedRowsOfTheSameFileGetOtherKeys(t *testing.T) {
	f, server := newFixture(t, allExtensions)
	dir := t.TempDir()
	importWith := func(product api.Int) error {
		rows := file(documents(4)...)
		for _, r := range rows {
			r.ProductsIDs = []api.Int{product}
		}
		_, err := sendIn(t.Context(), t, dir, &run.Import{Client: server}, rows, run.Options{Idempotency: true})
		return err
	}
	f.Lose = func(apitest.Request) bool { return true }
	if err := importWith(7); err == nil {
		t.Fatal("the first run ended without an error")
	}
	f.Lock()
	f.Lose = nil
	f.Unlock()
	must(t, importWith(8))
	n := len(f.CarriedOut)
	if n != 2 || f.CarriedOut[1].Key != f.CarriedOut[0].Key+"r" || len(f.Documents) != 4 {
		t.Errorf("got %+v, want a second key that derives from the first", f.CarriedOut)
	}
}

// Unsent rows are reported in order, even many in a row. A resumed run sends the same batches
// whatever rows lie between.
func TestUnsentRowsAreReportedInOrder(t *testing.T) {
	dir := t.TempDir()
	all := file(documents(3000)...)
	sent := 0
	for i, row := range all {
		if i%3 == 1 || i >= 600 && i < 2600 {
			row.Problems = []sheet.Problem{{Line: row.Line, Code: sheet.CodeTotalRow}}
			continue
		}
		sent++
	}
	s := &memoryJob{lose: func(request int) bool { return request == 2 }}
	for _, interrupted := range []bool{true, false} {
		j := open(t, dir)
		next := 0
		err := run.Run(t.Context(), s, seq(all), j, run.Options{Rows: 70, InFlight: 3, Idempotency: true}, func(o run.RowResult) error {
			if o.Row != all[next] || !interrupted && o.Row.OK() != (o.Kind == api.ResultCreated) {
				t.Errorf("got line %d, %+v, want line %d", o.Row.Line, o.Result, all[next].Line)
			}
			next++
			return nil
		})
		if (err != nil) != interrupted || next != len(all) {
			t.Errorf("got %v after %d rows, want all", err, next)
		}
		must(t, j.Close())
	}
	if len(s.rows) != sent || len(s.has) != sent {
		t.Errorf("the server did %d rows, %d of them different ones, want %d", len(s.rows), len(s.has), sent)
	}
}
