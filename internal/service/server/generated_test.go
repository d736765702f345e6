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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/processtest"
	"ativa/internal/service/store/pgtest"
)

// subscribers is the number of subscribers in the generated requests: few, so that requests meet the
// effects of earlier ones.
const subscribers = 12

// generator makes requests from the examples of openapi.yaml: most are valid, some are wrong in one
// place.
type generator struct {
	*rand.Rand
	f          *fixture
	operations []docCall
	links      []string
	ids        map[string]string // the latest in a response by their prefix
	served     int
}

func newGenerator(f *fixture, seed uint64) *generator {
	d, err := apicheck.Description()
	f.must(err)
	calls := slices.DeleteFunc(operations(d), func(o docCall) bool { return o.Path == api.PathMetrics }) // takes long
	return &generator{Rand: rand.New(rand.NewPCG(seed, 1)), f: f, operations: calls, ids: map[string]string{}}
}

func pick[T any](g *generator, all ...T) T { return all[g.IntN(len(all))] }

// oneIn returns true one time in n.
func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

// text returns a value for a name, or its example.
func (g *generator) text(name, example string) string {
	if g.oneIn(12) {
		return pick(g, "", " ", "\u202e", "%_", "' OR 1=1 --", strings.Repeat("ã", 300), "a\tb", "529.982.247-24", "\u0000", "\xff", "<b>", "../..")
	}
	switch name {
	case "document", "documents":
		d := doc(g.IntN(subscribers))
		return pick(g, d, d[:3]+"."+d[3:6]+"."+d[6:9]+"-"+d[9:])
	case "name":
		return "Assinante " + strconv.Itoa(g.IntN(subscribers))
	case "email":
		return fmt.Sprintf("a%d@example.com.br", g.IntN(subscribers))
	case "phone":
		return pick(g, "(11) 98765-4321", "+351912345678", "55 11 3333-4444")
	case "operation":
		return pick(g, "activate", "suspend", "deactivate", "overdue", "settle")
	case "at":
		return g.f.clock().Add(pick(g, -time.Hour, time.Second, time.Minute, 24*time.Hour, 400*24*time.Hour)).Format(time.RFC3339)
	case "id":
		return g.ids["sch"]
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
		return g.ids["op"]
	case "paginate":
		return pick(g, "S", "S", "s", "true")
	case "page", "per_page", "limit":
		return pick(g, "1", "2", "501")
	}
	return example
}

// value returns a value like an example.
func (g *generator) value(name string, example any) any {
	if g.oneIn(25) {
		return pick[any](g, nil, true, -1, 1.5, "x", []any{}, map[string]any{}, 1e300, []any{nil})
	}
	switch example := example.(type) {
	case map[string]any:
		object := map[string]any{}
		for _, member := range slices.Sorted(maps.Keys(example)) {
			if !g.oneIn(20) {
				object[member] = g.value(member, example[member])
			}
		}
		return object
	case []any:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(name, example[0]))
		}
		return list
	case float64:
		n := pick(g, basic, basic, premium, music, inactive, suspendOnly, ungranted, 38, 99, 0)
		if g.oneIn(8) {
			return strconv.Itoa(n)
		}
		return n
	case string:
		return g.text(name, example)
	}
	return example
}

// request returns a request of an operation.
func (g *generator) request(o docCall) (path, body string, headers []string) {
	path = o.Path
	query := url.Values{}
	for _, p := range o.All {
		name, example := p.Value.Name, ""
		if p.Value.Example != nil {
			example = fmt.Sprint(p.Value.Example)
		}
		switch value := g.text(name, example); {
		case p.Value.In == openapi3.ParameterInPath:
			path = strings.Replace(path, "{"+name+"}", strings.ReplaceAll(url.PathEscape(value), "..", "%2E%2E"), 1)
		case p.Value.In == openapi3.ParameterInQuery && name != api.ParamWait && g.oneIn(2):
			query.Set(name, value)
		}
	}
	if g.oneIn(2) {
		path = api.Prefix + path
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if o.RequestBody != nil {
		b, err := json.Marshal(g.value("", o.RequestBody.Value.Content.Get(api.MediaJSON).Example))
		g.f.must(err)
		body = string(b)
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
		headers = []string{"Authorization: "}
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

var resourceID = regexp.MustCompile(`"((op|sch)_[0-9a-z]+)"`)

// serve sends a request as it stands, from an address of its own because attempts are limited for each.
func (g *generator) serve(method, target, body string, headers ...string) (status int) {
	g.f.t.Helper()
	to, err := url.ParseRequestURI(target)
	g.f.must(err)
	g.served++
	req := httptest.NewRequestWithContext(g.f.t.Context(), method, "/", strings.NewReader(body))
	req.URL, req.RequestURI = to, target
	req.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", g.served>>16&0xff, g.served>>8&0xff, g.served&0xff)
	for _, h := range append([]string{"Content-Type: " + api.MediaJSON, "Authorization: Bearer " + g.f.bearer}, headers...) {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	response := httptest.NewRecorder()
	g.f.server.ServeHTTP(response, req)
	r := reply{t: g.f.t, status: response.Code, header: response.Header(), body: response.Body.Bytes()}
	g.f.check(method, target, r)
	if r.status >= http.StatusInternalServerError { // also after a panic
		g.f.t.Errorf("got %d %s", r.status, r.body)
	}
	for _, id := range resourceID.FindAllSubmatch(r.body, -1) {
		g.ids[string(id[2])] = string(id[1])
	}
	return r.status
}

// Every request generated from openapi.yaml gets a response that it describes, and never a 5xx
// (docs/reliability.md). ATIVA_REQUESTS is the number of requests, ATIVA_SEED repeats a run.
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
		path, body, headers := g.request(o)
		if seen[g.serve(o.Method, path, body, headers...)]++; t.Failed() {
			t.Fatalf("ATIVA_SEED=%d, request %d: %s %s %v %s", seed, n, o.Method, path, headers, body)
		}
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
	f.Fuzz(func(t *testing.T, operation uint8, target, header, body string, signed bool) {
		fx.t = t
		defer func() { fx.t = f }()
		to, err := url.ParseRequestURI(target)
		if err != nil || to.Path == "/" || to.Path == api.PathMetrics || to.Query().Has(api.ParamWait) { // waiting only takes time
			return
		}
		headers := []string{header}
		if signed {
			headers = append(headers, fx.sign(fmt.Sprint("m", g.served), body, 0)...)
		}
		o := g.operations[int(operation)%len(g.operations)]
		if g.serve(o.Method, target, body, headers...); t.Failed() {
			t.Errorf("%s %s %q %q", o.Method, target, header, body)
		}
	})
}
