package server_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

// A stored response belongs to one request of one provider, and is kept for seven days. A refusal is
// not stored.
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
			long := f.do(call.Method, path, body, "Idempotency-Key: "+strings.Repeat("x", 256)).want(422, api.CodeValidationFailed)
			if field := long.get("errors", 0, "field"); field != api.HeaderIdempotencyKey {
				t.Errorf("a key of 256 characters: got an error of %v, want of the key", field)
			}
			if r := f.do(call.Method, path, body, "Idempotency-Key: "+strings.Repeat("x", 255)); strings.Contains(string(r.body), api.HeaderIdempotencyKey) {
				t.Errorf("a key of 255 characters: got %s", r.body)
			}

			for late, replayed := range []string{"true", ""} {
				f.advance(7*24*time.Hour*time.Duration(1-late) + time.Second*time.Duration(late))
				f.bearer = f.login(f.access)
				f.must(f.m.Purge(t.Context()))
				if r := f.do(call.Method, path, body, key); r.header.Get(api.HeaderIdempotencyReplayed) != replayed {
					t.Errorf("7 days and %d s later: replayed: got %q, want %q: %s", late, r.header.Get(api.HeaderIdempotencyReplayed), replayed, r.body)
				}
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
func (f *fixture) state() (state string) {
	f.t.Helper()
	path, sqlite := strings.CutPrefix(f.dsn, "sqlite:")
	if !sqlite {
		lines := strings.Split(pgtest.Rows(f.t, f.dsn), "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	if f.watch == nil { // a connection sees the commits of others
		var err error
		f.watch, err = sql.Open("sqlite", "file:"+path+"?mode=ro")
		f.must(err)
		f.t.Cleanup(func() { f.must(f.watch.Close()) })
	}
	f.must(f.watch.QueryRowContext(f.t.Context(), `PRAGMA data_version`).Scan(&state))
	return state
}

// dryRuns are the requests of every dry run, with rows that succeed, are queued, exist and fail.
func dryRuns() map[string][]string {
	change := func(from, to, n int) string {
		return fmt.Sprintf(`{"product_id":%d,"previous_product_id":%d,"document":%q}`, to, from, doc(n))
	}
	mixed := batch(basic, 1, 2, 3, 4, 5, 99, 1)
	later := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	return map[string][]string{
		"/subscribers/import": {
			rows(subscriber(50, "products_ids", "[1,3]"), subscriber(50), subscriber(1, "name", `"Outra"`), subscriber(51, "products_ids", "[99]"),
				subscriber(52, "email", "5"), subscriber(53, "products_ids", "[1]"), subscriber(54, "products_ids", "[1]")),
			rows(subscriber(60, "phone", `"1"`)), rows(),
		},
		"/provision/activate":   {mixed, batch(99, 1), batch(premium, 3)},
		"/provision/suspend":    {mixed},
		"/provision/deactivate": {mixed},
		"/provision/overdue":    {mixed},
		"/provision/settle":     {mixed},
		"/provision/schedule":   {scheduled("suspend", basic, later, 1, 2, 3, 4, 5, 99, 1), scheduled("suspend", 99, later, 1)},
		"/provision/change":     {change(basic, premium, 3), change(basic, music, 3), change(basic, premium, 2)},
	}
}

// A dry run returns the response of the request and changes nothing, not even the next id.
func TestADryRunSaysTheSameAndChangesNothing(t *testing.T) {
	t.Parallel()
	id := regexp.MustCompile(`"request_id":"\w+"|,"(schedule|operation)_id":"\w+"`) // a dry run has neither of the last two
	for path, bodies := range dryRuns() {
		for n, body := range bodies {
			t.Run(fmt.Sprint(path, n), func(t *testing.T) {
				f := newParallelFixture(t, limit(3))
				f.register(1, 1)
				f.register(2, 2, basic)
				f.activate(3, basic)
				f.activate(4, basic)
				f.register(5, 5, basic) // queued
				f.do("POST", "/provision/overdue", batch(basic, 4)).want(200)
				f.confirm(doc(4), true)
				before := f.state()
				dry := f.do("POST", path+"/validate", body, "Idempotency-Key: k")
				if diff := cmp.Diff(before, f.state()); diff != "" {
					t.Errorf("the dry run changed the database (-before +after):\n%s", diff)
				}
				if strings.Contains(string(dry.body), `"operation_id":"`) {
					t.Errorf("the dry run has an operation id, which may become that of another: %s", dry.body)
				}
				real := f.do("POST", path, body, "Idempotency-Key: k")
				if real.header.Get(api.HeaderIdempotencyReplayed) != "" {
					t.Error("the dry run stored its response")
				}
				if got, want := id.ReplaceAllString(string(dry.body), ""), id.ReplaceAllString(string(real.body), ""); dry.status != real.status || got != want {
					t.Errorf("dry: %d %s\nreal: %d %s", dry.status, got, real.status, want)
				}
				if real.status == 200 && f.state() == before && !strings.Contains(string(real.body), `"accepted":0`) {
					t.Error("the request itself changed nothing: the test does not see changes")
				}
			})
		}
	}
	for _, r := range newFixture(t).server.Routes() {
		if base, dry := strings.CutSuffix(r.Path, "/validate"); dry && !strings.Contains(base, "{operation}") && dryRuns()[base] == nil {
			t.Errorf("%s has no case", r.Path)
		}
		if strings.HasPrefix(r.Path, "/provision/") && r.Method == "POST" && r.Write && dryRuns()[r.Path] == nil {
			t.Errorf("%s has no case", r.Path)
		}
	}
}
