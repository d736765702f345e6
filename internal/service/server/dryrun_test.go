package server_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/api"
	"ativa/internal/service/store/pgtest"
)

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
