package server_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/provision"
	"ativa/internal/store/pgtest"
)

// With tables partitioned by provider a request reads one partition of each, that of
// its provider: what each route does stays on one machine of a distributed database.
func TestARequestTouchesOnePartition(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "postgres", "of PostgreSQL alone")
	f := newFixtureOn(t, pgtest.Explained(t, pgtest.Partitioned(t)))
	f.register(10_000, 11_000, music)
	f.p, f.access = f.provider(provision.Provider{Name: "Outro", Limit: 100_000})
	f.bearer = f.login(f.access)
	f.register(1, 1500, music)
	for len(f.links()) > 0 {
	}
	pgtest.Exec(t, f.dsn, `ANALYZE`)
	all := f.everyRoute()

	w := &partitionWatch{fixture: f, seen: map[string]bool{}}
	for _, c := range all {
		w.call(c)
	}
	still := []string{api.PathOpenAPI, api.PathDocs, api.PathLive, api.PathMetrics} // run no statement
	for _, r := range f.server.Routes() {
		if w.seen[r.Method+" "+r.Path] == slices.Contains(still, r.Path) {
			t.Errorf("%s %s: no request of the test takes it", r.Method, r.Path)
		}
	}
}

// routeCall is a request, and what has to happen before it.
type routeCall struct {
	request string // method and path
	body    string
	status  int
	before  func(*routeCall)
	headers []string
}

// everyRoute has a request for each route that reads or changes something.
func (f *fixture) everyRoute() []routeCall {
	active := func(n int) func(*routeCall) { return func(*routeCall) { f.activate(n, basic) } }
	suspended := func(n int) func(*routeCall) {
		return func(*routeCall) {
			f.suspend(n)
			f.confirm(n)
		}
	}
	link := func(n int) func(*routeCall) {
		return func(c *routeCall) {
			f.register(n, n, basic)
			c.request += f.links()[doc(n)]
		}
	}
	var many []int
	for n := range 300 {
		many = append(many, n+1)
	}
	document := func(n int) string { return `{"document":"` + doc(n) + `"}` }
	return []routeCall{
		{request: "POST /authenticate", body: `{"access_token":"` + f.access + `"}`, status: 200},
		{request: "POST /subscribers", body: subscriber(4001), status: 201, headers: []string{"Idempotency-Key: a"}},
		{request: "POST /subscribers", body: subscriber(4001), status: 201, headers: []string{"Idempotency-Key: a"}},
		{request: "GET /subscribers", status: 200},
		{request: "GET /subscribers?paginate=S&page=2&per_page=100", status: 200},
		{request: "GET /subscribers/" + doc(1), status: 200},
		{request: "PUT /subscribers/" + doc(1), body: `{"name":"Outra"}`, status: 200},
		{request: "DELETE /subscribers/" + doc(4001), status: 200, headers: []string{"Idempotency-Key: b"}},
		{request: "GET /subscribers?paginate=S&page=2&per_page=100", status: 200},
		{request: "GET /subscribers/search/outra", status: 200},
		{request: "GET /subscribers/search/" + doc(1), status: 200},
		{request: "GET /subscribers/search/87654?paginate=S", status: 200},
		{request: "GET /subscribers/internet_speeds", status: 200},
		{request: "GET /subscribers/" + doc(1) + "/history", status: 200},
		{request: "GET /subscribers/" + doc(1) + "/deliveries", status: 200},
		{request: "POST /subscribers/import", body: rows(subscriber(1), subscriber(4002, "products_ids", "[1]"), subscriber(4003, "products_ids", "[1,3]")), status: 200},
		{request: "POST /subscribers/import/validate", body: rows(subscriber(1), subscriber(4004, "products_ids", "[1]")), status: 200},
		{request: "POST /subscribers/resend_activation_email", body: document(4002), status: 200},
		{request: "POST /subscribers/resend_activation_email/1", body: document(4003), status: 200},
		{request: "POST /provision/activate", body: batch(basic, 1, 2, 3), status: 200, headers: []string{"Idempotency-Key: c"}},
		{request: "POST /provision/activate/validate", body: batch(basic, 4), status: 200},
		{request: "POST /provision/activate", body: batch(premium, many...), status: 200},
		{request: "POST /provision/deactivate", body: batch(music, many...), status: 200},
		{request: "POST /provision/suspend", body: batch(basic, 4010), status: 200, before: active(4010)},
		{request: "POST /provision/activate", body: batch(basic, 4011), status: 200, before: suspended(4011)},
		{request: "POST /provision/deactivate", body: batch(basic, 4012), status: 200, before: active(4012)},
		{request: "POST /provision/overdue", body: batch(basic, 4013), status: 200, before: active(4013)},
		{request: "POST /provision/settle", body: batch(basic, 4014), status: 200, before: suspended(4014)},
		{request: "POST /provision/change", body: fmt.Sprintf(`{"product_id":%d,"previous_product_id":%d,"document":%q}`, premium, basic, doc(4015)), status: 200, before: active(4015)},
		{request: "GET /products", status: 200},
		{request: "GET /products/status", status: 200},
		{request: "GET /events", status: 200},
		{request: "GET /reports/usage?from=2026-01-01&to=2026-01-31&detail=tokens", status: 200},
		{request: "POST /partner/events", status: 202, before: func(c *routeCall) {
			c.body = suspensionConfirmed(f.suspend(4016))
			c.headers = f.sign("m1", c.body, 0)
		}},
		{request: "GET /activate/", status: 200, before: link(4017)},
		{request: "POST /activate/", status: 200, before: link(4018)},
		{request: "GET /readyz", status: 200},
	}
}

// partitionWatch sends requests and looks at what their statements read.
type partitionWatch struct {
	*fixture
	seen map[string]bool // routes
}

func (w *partitionWatch) call(c routeCall) {
	w.t.Helper()
	if c.before != nil {
		c.before(&c)
	}
	w.advance(2 * time.Second) // for so long a bearer token is not looked up again
	plans := pgtest.Plans(w.t, func() {
		method, path, _ := strings.Cut(c.request, " ")
		w.do(method, path, c.body, c.headers...).want(c.status)
	})
	w.seen[w.routeOf(c.request)] = true
	if len(plans) == 0 {
		w.t.Errorf("%s: no plan was logged", c.request)
	}
	for _, p := range plans {
		if got := p.Partitions(); len(got) > 1 || len(got) == 1 && got[0] != fmt.Sprint(w.p.ID) {
			w.t.Errorf("%s reads %v: %s", c.request, p.Scanned, strings.Join(strings.Fields(p.Query), " "))
		}
	}
}

// routeOf is the route that a request takes.
func (w *partitionWatch) routeOf(request string) (route string) {
	path, _, _ := strings.Cut(request, "?")
	for _, r := range w.server.Routes() {
		pattern := regexp.MustCompile(`\\\{[^}]*\\\}`).ReplaceAllString(regexp.QuoteMeta(r.Method+" "+r.Path), "[^/]+")
		if regexp.MustCompile("^"+pattern+"$").MatchString(path) && (route == "" || !strings.Contains(r.Path, "{")) {
			route = r.Method + " " + r.Path
		}
	}
	return route
}
