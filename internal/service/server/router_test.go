package server_test

import (
	"context"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/service/domain"
	"ativa/internal/service/server"
)

func TestUnknownPathsAndWrongMethodsAreProblems(t *testing.T) {
	f := newParallelFixture(t)
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/", 404, ""},
		{"GET", "/nothing", 404, ""},
		{"GET", "/subscribers/", 404, ""},
		{"GET", "/subscribers/52998224725/", 404, ""},
		{"GET", "/subscribers/52998224725/nothing", 404, ""},
		{"GET", "//subscribers", 404, ""},
		{"GET", "/subscribers/../products", 404, ""},
		{"GET", "/./products", 404, ""},
		{"GET", "/api/api/products", 404, ""},
		{"GET", "/subscribers/search", 404, ""},
		{"PUT", "/subscribers/search", 404, ""},
		{"POST", "/provision/nothing/validate", 404, ""},
		{"PATCH", "/subscribers", 405, "GET, HEAD, POST"},
		{"POST", "/subscribers/52998224725", 405, "GET, HEAD, PUT, DELETE"},
		{"DELETE", "/subscribers/internet_speeds", 405, "GET, HEAD"},
		{"POST", "/subscribers/52998224725/history", 405, "GET, HEAD"},
		{"PUT", "/activate/x", 405, "GET, HEAD, POST"},
		{"OPTIONS", "/products", 405, "GET, HEAD"},
	} {
		for _, prefix := range []string{"", api.Prefix} {
			r := f.do(c.method, prefix+c.path, "").want(c.status)
			if got := r.header.Get("Allow"); got != c.allow {
				t.Errorf("%s %s: Allow: got %q, want %q", c.method, prefix+c.path, got, c.allow)
			}
		}
	}
}

func TestHealthAndMetrics(t *testing.T) {
	t.Parallel()
	var fault error // of the database
	f := newFixture(t, func(o *server.Options, _ *domain.Provider) {
		o.Ready = func(context.Context) error { return fault }
	})
	f.do("GET", "/livez", "", "Authorization").want(200).has(map[string]string{"response": "success"})
	f.do("GET", "/readyz", "", "Authorization").want(200).has(map[string]string{"response": "success"})
	f.do("GET", "/subscribers/"+doc(1), "").want(404)
	figures := string(f.do("GET", "/metrics", "", "Authorization").want(200).body)
	for _, want := range []string{
		`ativa_http_requests_total{method="GET",route="/subscribers/{document}",status="404"} 1`,
		`ativa_http_request_duration_seconds_bucket{method="GET",route="/livez"`,
	} {
		if !strings.Contains(figures, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if strings.Contains(figures, doc(1)) {
		t.Error("metrics hold a document")
	}
	if got := string(f.do("GET", "/openapi.yaml", "", "Authorization").want(200).body); got != api.OpenAPI() {
		t.Error("/openapi.yaml is not the description")
	}
	fault = &domain.Error{Code: domain.Unavailable, Message: "the database is read-only now"}
	f.do("GET", "/readyz", "").want(503, api.CodeUnavailable).has(map[string]string{"detail": "the database is read-only now"})
	f.do("GET", "/livez", "").want(200)
	fault = nil
	f.server.BeginShutdown()
	f.do("GET", "/readyz", "").want(503, api.CodeUnavailable)
}

func TestTheRootRedirectsBrowsersToTheDocumentation(t *testing.T) {
	f := newParallelFixture(t)
	for accept, want := range map[string]int{"text/html,application/xhtml+xml,*/*;q=0.8": 302, "application/json": 404, "*/*": 404} {
		res, err := f.request(t.Context(), "GET", "/", "", "Accept: "+accept)
		f.must(err)
		res.Body.Close()
		if res.StatusCode != want || want == 302 && res.Header.Get("Location") != "/docs" {
			t.Errorf("%s: got %d to %q, want %d", accept, res.StatusCode, res.Header.Get("Location"), want)
		}
	}
	f.do("POST", "/", "").want(404)
}
