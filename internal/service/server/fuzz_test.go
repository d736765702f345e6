package server_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"ativa/internal/api"
)

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
			if o.path == api.PathPartnerEvents {
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
		req := httptest.NewRequestWithContext(t.Context(), o.method, "/", strings.NewReader(body))
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
		fx.check(o.method, target, reply{t: t, status: response.Code, header: response.Header(), body: response.Body.Bytes()})
		if response.Code >= 500 {
			t.Errorf("%s %s %q: got %d %s", o.method, target, body, response.Code, response.Body)
		}
		if response.Code == 202 && !signed {
			t.Errorf("%q: got %d, want it refused without a signature", header, response.Code)
		}
		if log := fx.log.take(); strings.Contains(log, "panic") && !strings.Contains(body+header+target, "panic") {
			t.Errorf("%s %s %q: the log has a panic: %s", o.method, target, body, log)
		}
	})
}
