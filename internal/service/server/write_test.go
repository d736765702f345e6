package server_test

import (
	"bytes"
	"context"
	"database/sql"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

// A stored response belongs to one request of one provider. A refusal is not stored.
func TestARepeatedWriteGetsItsStoredResponse(t *testing.T) {
	t.Parallel()
	const key = "Idempotency-Key: k"
	for name, call := range examples(t) {
		if call.Parameters.GetByInAndName("header", api.HeaderIdempotencyKey) == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := newParallelFixture(t)
			path, body := f.example(call, map[string]string{"ID": "sch_zz9"})
			if call.Path != api.PathSubscribers && call.Path != api.PathImport {
				if got := f.do(call.Method, path, body, key); got.status < 400 {
					t.Fatalf("without the subscriber: got %d %s", got.status, got.body)
				}
			}
			path, body = f.example(call, f.prepare(call))
			first := f.do(call.Method, path, body, key)
			if first.status >= 300 || first.header.Get(api.HeaderIdempotencyReplayed) != "" {
				t.Fatalf("first: got %d %s, want a success of its own", first.status, first.body)
			}
			for _, path := range []string{path, api.Prefix + path} {
				again := f.do(call.Method, path, body, key).want(first.status)
				if !bytes.Equal(again.body, first.body) || strings.TrimPrefix(again.header.Get("Location"), api.Prefix) != first.header.Get("Location") {
					t.Errorf("again: got %s, want %s", again.body, first.body)
				}
				if again.header.Get(api.HeaderIdempotencyReplayed) != "true" {
					t.Error("again: not marked as replayed")
				}
			}
			_, access := f.provider(domain.Provider{Name: "Outro", Limit: 10})
			if other := f.do(call.Method, path, body, key, "Authorization: Bearer "+f.login(access)); other.header.Get(api.HeaderIdempotencyReplayed) != "" {
				t.Errorf("another provider got the stored response %s", other.body)
			}
			if body != "" {
				f.do(call.Method, path, body+" ", key).want(422, api.CodeIdempotencyKeyReused)
			}
			f.do(call.Method, path, body, "Idempotency-Key: "+strings.Repeat("x", 256)).want(422, api.CodeValidationFailed).
				has(map[string]string{"errors.0.field": api.HeaderIdempotencyKey})
			if r := f.do(call.Method, path, body, "Idempotency-Key: "+strings.Repeat("x", 255)); strings.Contains(string(r.body), api.HeaderIdempotencyKey) {
				t.Errorf("a key of 255 characters: got %s", r.body)
			}
		})
	}
}

func TestAThousandRequestsWithOneKeyHaveOneEffect(t *testing.T) {
	f := newParallelFixture(t)
	replies, meanwhile := make([]reply, 1000), make(chan struct{})
	answer := sync.OnceFunc(func() { close(meanwhile) })
	var begun atomic.Int32
	f.store.update = func(context.Context) error { // the first waits until another is refused, or begun as well
		if begun.Add(1) > 1 {
			answer()
		}
		<-meanwhile
		return nil
	}
	var all errgroup.Group
	all.SetLimit(64)
	for i := range replies {
		all.Go(func() (err error) {
			replies[i], err = f.send("POST", "/subscribers/import", rows(subscriber(1, "products_ids", "[1]")), "Idempotency-Key: one")
			if replies[i].status == http.StatusConflict {
				answer()
			}
			return err
		})
	}
	f.must(all.Wait())
	fresh, refused := 0, 0
	for _, r := range replies {
		switch {
		case r.status != http.StatusOK:
			refused++
			if r.want(409, api.CodeRequestInProgress); r.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		case r.header.Get(api.HeaderIdempotencyReplayed) == "":
			fresh++
		}
	}
	if emails := len(f.links()); fresh != 1 || emails != 1 || refused == 0 {
		t.Errorf("got %d effects and %d e-mails, want one, and %d refused meanwhile", fresh, emails, refused)
	}
}

// state returns all rows of a PostgreSQL database, or a number that SQLite changes with every commit.
func (f *fixture) state() string {
	f.t.Helper()
	if strings.HasPrefix(f.dsn, "sqlite:") {
		return f.query(`PRAGMA data_version`)[0]
	}
	lines := strings.Split(pgtest.Rows(f.t, f.dsn), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// query returns the rows of a query on SQLite, each as text. Its connection is always the same and
// sees the commits of others.
func (f *fixture) query(query string) (all []string) {
	f.t.Helper()
	if f.watch == nil {
		var err error
		f.watch, err = sql.Open("sqlite", "file:"+strings.TrimPrefix(f.dsn, "sqlite:")+"?mode=ro")
		f.must(err)
		f.t.Cleanup(func() { f.must(f.watch.Close()) })
	}
	rows, err := f.watch.QueryContext(f.t.Context(), query)
	f.must(err)
	defer rows.Close()
	columns, err := rows.Columns()
	f.must(err)
	for rows.Next() {
		values, places := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		f.must(rows.Scan(places...))
		text := ""
		for _, v := range values {
			text += v.String + "\x00"
		}
		all = append(all, strings.TrimSuffix(text, "\x00"))
	}
	f.must(rows.Err())
	return all
}

// A dry run returns the response of the request and changes nothing, not even the next id. What it
// predicts is tested with package rules.
func TestADryRunSaysTheSameAndChangesNothing(t *testing.T) {
	t.Parallel()
	const key = "Idempotency-Key: k"
	id := regexp.MustCompile(`"request_id":"\w+"|,"(schedule|operation)_id":"\w+"`) // a dry run has neither of the last two
	for name, call := range examples(t) {
		_, operation := strings.CutPrefix(name, "POST /provision/")
		if call.Path != api.PathImport && !operation || strings.HasSuffix(name, "/validate") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := newParallelFixture(t)
			f.do("POST", call.Path+"/validate", `{}`).want(422, api.CodeValidationFailed)
			path, body := f.example(call, f.prepare(call))
			before := f.state()
			dry := f.do("POST", path+"/validate", body, key)
			if diff := cmp.Diff(before, f.state()); diff != "" {
				t.Errorf("the dry run changed the database (-before +after):\n%s", diff)
			}
			if strings.Contains(string(dry.body), `"operation_id":"`) {
				t.Errorf("the dry run has an operation id, which may become that of another: %s", dry.body)
			}
			real := f.do("POST", path, body, key).want(dry.status)
			if real.header.Get(api.HeaderIdempotencyReplayed) != "" {
				t.Error("the dry run stored its response")
			}
			if got, want := id.ReplaceAllString(string(dry.body), ""), id.ReplaceAllString(string(real.body), ""); got != want {
				t.Errorf("dry: %s\nreal: %s", got, want)
			}
			if f.state() == before {
				t.Error("the request itself changed nothing: the test does not see changes")
			}
		})
	}
}
