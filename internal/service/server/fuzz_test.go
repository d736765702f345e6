package server_test

import (
	"fmt"
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

// underPrefix is the bit of a route's number that selects the path with [api.Prefix].
const underPrefix = 0x80

// Whatever path, query, headers and body contain, the response is one of openapi.yaml and never a
// 5xx. All requests go to one server, so they meet the effects of earlier ones.
func FuzzRequests(f *testing.F) {
	fx := newFixture(f)
	fx.register(1, 3, basic, music)
	operation := fx.suspend(4)
	routes := slices.DeleteFunc(fx.server.Routes(), func(r server.Route) bool { return r.Path == api.PathMetrics || r.Path == api.PathOpenAPI })
	bodies := map[string]string{
		api.PathAuthenticate: `{"access_token":"` + fx.access + `"}`, api.PathSubscribers: subscriber(9, "products_ids", "[1]", "internet_speed_id", `"10"`),
		api.PathSubscriber: `{"email":"b@example.com","phone":null,"customer_plan":"x"}`, api.PathImport: rows(subscriber(1), subscriber(8, "products_ids", "[3,1,1]"), "{}"),
		api.PathImportValidate: rows(subscriber(7)), api.PathChange: `{"product_id":2,"previous_product_id":1,"document":"` + doc(1) + `"}`,
		api.PathPartnerEvents: suspensionConfirmed(operation),
	}
	for i, r := range routes {
		body := bodies[r.Path]
		if strings.HasPrefix(r.Path, "/provision/") && body == "" {
			body = batch(basic, 1, 2, 6)
		}
		f.Add(uint8(i), doc(1), "paginate=S&page=2&per_page=1&search=ana&limit=2&after=ev_1y2p0ij32e8e7", "Idempotency-Key: key-1", body, false)
		f.Add(uint8(i)|underPrefix, "activate", "from=2026-01-01&to=2026-01-31&tz=America/Sao_Paulo&detail=tokens", "Content-Type: "+api.MediaJSON, body, true)
	}
	parameter := regexp.MustCompile(`{[^}]*}`)
	n := 0
	f.Fuzz(func(t *testing.T, route uint8, parameterValue, query, header, body string, signed bool) {
		fx.t = t
		defer func() { fx.t = f }()
		r := routes[int(route&^underPrefix)%len(routes)]
		target := url.URL{RawQuery: query}
		if target.Query().Get(api.ParamWait) != "" {
			return // it would only take time
		}
		target.Path = parameter.ReplaceAllStringFunc(r.Path, func(string) string { return parameterValue })
		if n++; route&underPrefix != 0 {
			target.Path = api.Prefix + target.Path
		}
		req := httptest.NewRequestWithContext(t.Context(), r.Method, "/", strings.NewReader(body))
		req.URL, req.RequestURI = &target, target.RequestURI()
		req.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16&0xff, n>>8&0xff, n&0xff) // attempts are limited per address
		headers := []string{"Content-Type: " + api.MediaJSON, "Authorization: Bearer " + fx.bearer, header}
		if signed {
			headers = append(headers, fx.sign(fmt.Sprint("m", n), body, 0)...)
		}
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}

		answer := httptest.NewRecorder()
		fx.server.ServeHTTP(answer, req)
		if answer.Code >= 500 {
			t.Errorf("%s %s %q: got %d %s", r.Method, req.RequestURI, body, answer.Code, answer.Body)
		}
		if answer.Code < 300 && r.Path == api.PathPartnerEvents && !signed {
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
