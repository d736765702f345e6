package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/processtest"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
)

// subscribers is the number of subscribers in the generated requests: few, so that requests meet the
// effects of earlier ones.
const subscribers = 12

// generator makes requests from openapi.yaml: most are valid, some are wrong in one place.
type generator struct {
	*rand.Rand
	f          *fixture
	operations []docCall
	links      []string
}

func newGenerator(f *fixture, seed uint64) *generator {
	d, err := apicheck.Description()
	f.must(err)
	return &generator{Rand: rand.New(rand.NewPCG(seed, 1)), f: f, operations: operations(d)}
}

func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

// oneIn returns true one time in n.
func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// text returns a string value for a name.
func (g *generator) text(name string) string {
	if g.oneIn(12) {
		return pick(g, "", " ", "\u202e", "%_", "' OR 1=1 --", strings.Repeat("ã", 300), "a\tb", "529.982.247-24", "\u0000", "\xff", "<b>", "../..")
	}
	switch name {
	case "document", "documents":
		d := doc(g.IntN(subscribers))
		return pick(g, d, d[:3]+"."+d[3:6]+"."+d[6:9]+"-"+d[9:])
	case "email":
		return fmt.Sprintf("a%d@example.com.br", g.IntN(subscribers))
	case "phone":
		return pick(g, "(11) 98765-4321", "+351912345678", "55 11 3333-4444")
	case "operation":
		return pick(g, "activate", "suspend", "deactivate", "overdue", "settle")
	case "at":
		return g.f.clock().Add(pick(g, -time.Hour, time.Second, time.Minute, 24*time.Hour, 400*24*time.Hour)).Format(time.RFC3339)
	case "id":
		return g.schedule()
	case "searchValue":
		return pick(g, "Assinante", "example", "98765", doc(1)[:5], "ã%", "x")
	case "access_token":
		return g.f.access
	case "link":
		return pick(g, append(g.links, "unknown")...)
	case "after":
		return pick(g, "", "ev_0", "ev_1y2p0ij32e8e7")
	case "type":
		return "service." + pick(g, "activation", "suspension", "cancellation", "reactivation", "change") + pick(g, ".confirmed", ".failed")
	case "operation_id":
		return g.operation()
	case "paginate":
		return pick(g, "S", "S", "s", "true")
	}
	return "Assinante " + strconv.Itoa(g.IntN(subscribers))
}

// operation returns a waiting operation, if there is one.
func (g *generator) operation() string {
	waiting, err := g.f.m.ListOperations(g.f.t.Context(), domain.OperationFilter{States: []domain.OperationState{domain.OperationWaiting}})
	g.f.must(err)
	if len(waiting) == 0 {
		return "op_1y2p0ij32e8e7"
	}
	return pick(g, waiting...).ID.String()
}

// schedule returns a schedule in any state, if there is one.
func (g *generator) schedule() string {
	some, _, err := g.f.m.SchedulePage(g.f.t.Context(), domain.ScheduleQuery{Provider: g.f.p.ID, Offset: g.IntN(10), Limit: 1})
	g.f.must(err)
	if len(some) == 0 {
		return "sch_1y2p0ij32e8e7"
	}
	return some[0].ID.String()
}

// value returns a value that mostly fits a schema.
func (g *generator) value(name string, s *openapi3.Schema) any {
	if g.oneIn(25) {
		return pick[any](g, nil, true, -1, 1.5, "x", []any{}, map[string]any{}, 1e300, []any{nil})
	}
	switch {
	case len(s.AllOf) > 0:
		all := map[string]any{}
		for _, part := range s.AllOf {
			if members, ok := g.value(name, part.Value).(map[string]any); ok {
				maps.Copy(all, members)
			}
		}
		return all
	case len(s.OneOf) > 0:
		return g.value(name, pick(g, s.OneOf...).Value)
	case s.Type.Permits("object"):
		object := map[string]any{}
		for _, member := range slices.Sorted(maps.Keys(s.Properties)) {
			if needed := slices.Contains(s.Required, member); needed && !g.oneIn(30) || !needed && g.oneIn(2) {
				object[member] = g.value(member, s.Properties[member].Value)
			}
		}
		return object
	case s.Type.Permits("array"):
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(name, s.Items.Value))
		}
		return list
	case s.Type.Permits("integer"):
		n := pick(g, basic, basic, premium, music, inactive, suspendOnly, ungranted, 38, 99, 0)
		if s.Type.Permits("string") && g.oneIn(4) {
			return strconv.Itoa(n)
		}
		return n
	case s.Type.Permits("boolean"):
		return g.oneIn(2)
	}
	return g.text(name)
}

// request returns a request of an operation.
func (g *generator) request(o docCall) (path, body string, headers []string) {
	path = o.Path
	query := url.Values{}
	for _, p := range o.All {
		switch p.Value.In {
		case openapi3.ParameterInPath:
			path = strings.Replace(path, "{"+p.Value.Name+"}", strings.ReplaceAll(url.PathEscape(g.text(p.Value.Name)), "..", "%2E%2E"), 1)
		case openapi3.ParameterInQuery:
			if p.Value.Name != api.ParamWait && g.oneIn(2) {
				query.Set(p.Value.Name, fmt.Sprint(g.value(p.Value.Name, p.Value.Schema.Value)))
			}
		}
	}
	if g.oneIn(2) {
		path = api.Prefix + path
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if o.RequestBody != nil {
		if content := o.RequestBody.Value.Content.Get(api.MediaJSON); content != nil {
			b, err := json.Marshal(g.value("", content.Schema.Value))
			g.f.must(err)
			body = string(b)
		}
	}
	if g.oneIn(40) {
		body = body[g.IntN(len(body)+1):]
	}
	switch {
	case g.oneIn(40):
		headers = []string{"Content-Encoding: gzip"}
	case o.Path == api.PathPartnerEvents && !g.oneIn(5):
		headers = g.f.sign(fmt.Sprint("m", g.IntN(1000)), body, 0)
	case o.Parameters.GetByInAndName("header", api.HeaderIdempotencyKey) != nil && g.oneIn(3):
		headers = []string{fmt.Sprintf("%s: key-%d", api.HeaderIdempotencyKey, g.IntN(20))}
	case g.oneIn(30):
		headers = []string{"Authorization"}
	}
	return path, body, headers
}

// advance moves the clock forward and reads the e-mails, so that requests meet services in every
// state.
func (g *generator) advance() {
	g.f.advance(time.Duration(g.IntN(60)) * time.Second)
	for _, link := range g.f.links() {
		g.links = append(g.links, link)
	}
	g.links = g.links[max(0, len(g.links)-subscribers):]
	g.f.bearer = g.f.login(g.f.access)
}

// Every request generated from openapi.yaml gets a response that it describes, and never a 5xx
// (reliability.md, promise 11). ATIVA_REQUESTS is the number of requests, ATIVA_SEED repeats a run.
func TestGeneratedRequestsGetDescribedResponses(t *testing.T) {
	t.Parallel()
	some := 2000
	if os.Getenv(pgtest.Engine) == "postgres" {
		some = 300 // only the store differs
	}
	requests, seed := processtest.FromEnv(t, "ATIVA_REQUESTS", some), uint64(processtest.FromEnv(t, "ATIVA_SEED", int(time.Now().UnixNano()&0xffffff)))
	f := newFixture(t, limit(6))
	g := newGenerator(f, seed)
	seen := map[int]int{}
	for n := range requests {
		if n%10 == 0 {
			g.advance()
		}
		o := g.operations[g.IntN(len(g.operations))]
		if o.Path == api.PathMetrics && !g.oneIn(20) {
			continue
		}
		path, body, headers := g.request(o)
		r := f.do(o.Method, path, body, headers...)
		seen[r.status]++
		if r.status >= http.StatusInternalServerError {
			t.Errorf("got %d %s", r.status, r.body)
		}
		if t.Failed() {
			t.Fatalf("ATIVA_SEED=%d, request %d: %s %s %v %s", seed, n, o.Method, path, headers, body)
		}
	}
	if strings.Contains(f.log.String(), "panic") {
		t.Errorf("ATIVA_SEED=%d: the log has a panic", seed)
	}
	for _, status := range []int{200, 201, 202, 401, 404, 409, 422} { // 410 comes by chance
		if seen[status] == 0 && requests >= 2000 {
			t.Errorf("no request was answered with %d: %v", status, seen)
		}
	}
}

// Whatever target, header and body contain, the response is one of openapi.yaml and never a 5xx. All
// requests go to one server, so they meet the effects of earlier ones.
func FuzzRequests(f *testing.F) {
	fx := newFixture(f)
	fx.register(1, 3, basic, music)
	operation := fx.suspend(4)
	g := newGenerator(fx, 1)
	for i, o := range g.operations {
		for range 3 {
			target, body, headers := g.request(o)
			header := strings.Join(headers, "")
			if o.Path == api.PathPartnerEvents {
				header, body = "", suspensionConfirmed(operation)
			}
			f.Add(uint8(i), target, header, body, g.oneIn(2))
		}
	}
	f.Add(uint8(0), api.Prefix+"/activate", "", "", false)
	n := 0
	f.Fuzz(func(t *testing.T, operation uint8, target, header, body string, signed bool) {
		fx.t = t
		defer func() { fx.t = f }()
		to, err := url.ParseRequestURI(target)
		o := g.operations[int(operation)%len(g.operations)]
		if err != nil || to.Path == "/" || to.Path == api.PathMetrics || to.Query().Has(api.ParamWait) { // waiting only takes time
			return
		}
		n++
		req := httptest.NewRequestWithContext(t.Context(), o.Method, "/", strings.NewReader(body))
		req.URL, req.RequestURI = to, target
		req.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16&0xff, n>>8&0xff, n&0xff) // attempts are limited per address
		headers := []string{"Content-Type: " + api.MediaJSON, "Authorization: Bearer " + fx.bearer, header}
		if signed {
			headers = append(headers, fx.sign(fmt.Sprint("m", n), body, 0)...)
		}
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		response := httptest.NewRecorder()
		fx.server.ServeHTTP(response, req)
		fx.check(o.Method, target, reply{t: t, status: response.Code, header: response.Header(), body: response.Body.Bytes()})
		if response.Code >= 500 {
			t.Errorf("%s %s %q: got %d %s", o.Method, target, body, response.Code, response.Body)
		}
		if response.Code == 202 && !signed {
			t.Errorf("%q: got %d, want it refused without a signature", header, response.Code)
		}
		if log := fx.log.take(); strings.Contains(log, "panic") && !strings.Contains(body+header+target, "panic") {
			t.Errorf("%s %s %q: the log has a panic: %s", o.Method, target, body, log)
		}
	})
}
