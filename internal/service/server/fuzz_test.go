package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apicheck"
	"ativa/internal/service/server"
)

// How a fuzzed request differs from a plain one: bits of its last argument.
const (
	underPrefix     = 1 << iota // below [api.Prefix]
	partnerSigned               // with a signature of the body that is right
	partnerDamaged              // with one that was right before the body was changed
	headerBearer                // the header's value takes the place of the bearer token
	headerKey                   // … is the idempotency key
	headerMedia                 // … is the type of the body
	headerCoding                // … is its encoding
	headerSignature             // … is the partner's id, time and signature
)

// No request breaks the server, whatever stands in its path, query, headers and body:
// its answer is one that openapi.yaml has, and never the server's own fault. All
// requests go to one server, so that they meet what earlier ones have left.
func FuzzRequests(f *testing.F) {
	fx := newFixture(f)
	fx.register(1, 3, basic, music)
	operation := fx.suspend(4).String()
	routes := slices.DeleteFunc(fx.server.Routes(), func(r server.Route) bool { return r.Path == api.PathMetrics || r.Path == api.PathOpenAPI })
	bodies := map[string]string{
		api.PathAuthenticate: `{"access_token":"` + fx.access + `"}`, api.PathSubscribers: subscriber(9, "products_ids", "[1]", "internet_speed_id", `"10"`),
		api.PathSubscriber: `{"email":"b@example.com","phone":null,"customer_plan":"x"}`, api.PathImport: rows(subscriber(1), subscriber(8, "products_ids", "[3,1,1]"), "{}"),
		api.PathImportValidate: rows(subscriber(7)), api.PathChange: `{"product_id":2,"previous_product_id":1,"document":"` + doc(1) + `"}`,
		api.PathPartnerEvents: `{"type":"service.suspension.confirmed","operation_id":"` + operation + `","reason":null}`,
	}
	for i, r := range routes {
		body := bodies[r.Path]
		if strings.HasPrefix(r.Path, "/provision/") && body == "" {
			body = batch(basic, 1, 2, 6)
		}
		f.Add(uint8(i), doc(1), "paginate=S&page=2&per_page=1&search=ana&limit=2&after=ev_1y2p0ij32e8e7", "key-1", body, uint8(headerKey))
		f.Add(uint8(i), "activate", "from=2026-01-01&to=2026-01-31&tz=America/Sao_Paulo&detail=tokens", api.MediaJSON, body, uint8(headerMedia|underPrefix|partnerSigned))
	}
	f.Add(uint8(slices.IndexFunc(routes, func(r server.Route) bool { return r.Path == api.PathPartnerEvents })), "", "", "m1 1769860800 v1,x v1a,eA==", bodies[api.PathPartnerEvents], uint8(headerSignature))
	parameter := regexp.MustCompile(`{[^}]*}`)
	n := 0
	f.Fuzz(func(t *testing.T, route uint8, parameterValue, query, header, body string, how uint8) {
		fx.t = t
		defer func() { fx.t = f }()
		r := routes[int(route)%len(routes)]
		target := url.URL{RawQuery: query}
		if target.Query().Get(api.ParamWait) != "" {
			return // only takes time
		}
		target.Path = parameter.ReplaceAllStringFunc(r.Path, func(string) string { return parameterValue })
		if how&underPrefix != 0 {
			target.Path = api.Prefix + target.Path
		}
		n++
		req := httptest.NewRequestWithContext(t.Context(), r.Method, "/", strings.NewReader(body))
		req.URL, req.RequestURI = &target, target.RequestURI()
		req.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16&0xff, n>>8&0xff, n&0xff) // attempts are throttled by address
		req.Header.Set("Content-Type", api.MediaJSON)
		req.Header.Set("Authorization", "Bearer "+fx.bearer)
		for bit, name := range map[uint8]string{headerKey: api.HeaderIdempotencyKey, headerMedia: "Content-Type", headerCoding: "Content-Encoding"} {
			if how&bit != 0 {
				req.Header.Set(name, header)
			}
		}
		if how&headerBearer != 0 {
			req.Header.Set("Authorization", header)
		}
		fx.signFuzzed(req, fmt.Sprint("m", n), header, body, how)

		answer := httptest.NewRecorder()
		fx.server.ServeHTTP(answer, req)
		if answer.Code >= 500 {
			t.Errorf("%s %s %q: got %d %s", r.Method, req.RequestURI, body, answer.Code, answer.Body)
		}
		if answer.Code < 300 && r.Path == api.PathPartnerEvents && how&(headerSignature|partnerDamaged) != 0 {
			t.Errorf("%q: got %d, and nobody signed it", header, answer.Code)
		}
		if err := apicheck.CheckResponse(r.Method, req.RequestURI, answer.Code, answer.Header(), answer.Body.Bytes()); err != nil {
			t.Error(err)
		}
		if log := fx.log.take(); strings.Contains(log, "panic") && !strings.Contains(body+header+query, "panic") {
			t.Errorf("%s %s %q: a panic stands in the log: %s", r.Method, req.RequestURI, body, log)
		}
	})
}

// signFuzzed gives a request of a partner the headers of its signature.
func (f *fixture) signFuzzed(req *http.Request, id, header, body string, how uint8) {
	var signed []string
	switch {
	case how&headerSignature != 0:
		parts := append(strings.SplitN(header, " ", 3), "", "", "")
		signed = []string{"webhook-id: " + parts[0], "webhook-timestamp: " + parts[1], "webhook-signature: " + parts[2]}
	case how&partnerDamaged != 0:
		signed = f.sign(id, body+" ", 0)
	case how&partnerSigned != 0:
		signed = f.sign(id, body, 0)
	}
	for _, h := range signed {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
}
