package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// startMinimalServer starts a server that follows api.md and nothing more, under /api
// only, and points the script at it: no history, no feed, no dry run, answers
// to writes that say nothing. A suspension is final after two reads.
func startMinimalServer(ts *testscript.TestScript, _ bool, _ []string) {
	server := httptest.NewServer(&minimalScriptServer{})
	ts.Defer(server.Close)
	ts.Setenv("ATIVA_SERVER", server.URL)
	ts.Setenv("ATIVA_ACCESS_TOKEN", "minimal-token")
}

// startNotAllowedServer starts a server that answers everything but /authenticate with 405 and a
// text that is no JSON, as the mux of Go does, and points the script at it.
func startNotAllowedServer(ts *testscript.TestScript, _ bool, _ []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/authenticate" {
			_, _ = io.WriteString(w, `{"authorization":{"token":"b","type":"bearer","expires_in":3600}}`)
			return
		}
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	}))
	ts.Defer(server.Close)
	ts.Setenv("ATIVA_SERVER", server.URL)
	ts.Setenv("ATIVA_ACCESS_TOKEN", "plain-token")
}

type minimalScriptServer struct {
	readsLeft atomic.Int32 // until the suspension is confirmed
	suspended atomic.Bool
}

func (s *minimalScriptServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/api")
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	body, known := s.answer(r.Method + " " + path)
	if !known {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body)
}

func (s *minimalScriptServer) answer(route string) (string, bool) {
	switch route {
	case "POST /authenticate":
		return `{"authorization":{"token":"minimal-bearer","type":"bearer","expires_in":"3600"}}`, true
	case "GET /products":
		return `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":1,"can":["activate","suspend"]}],"message":"success"}`, true
	case "GET /products/status":
		return `{"status":[{"id":1,"name":"active"},{"id":2,"name":"checkout"},{"id":99,"name":"paused"}],"message":"success"}`, true
	case "GET /subscribers/internet_speeds":
		return `{"internet_speeds":[{"id":3,"speed":"30 Mbps","slug":"30"}],"response":"success"}`, true
	case "GET /subscribers/52998224725":
		return `{"message":"success","subscriber":` + s.subscriber() + `}`, true
	case "GET /subscribers/11144477735": // its activation was asked for, and begins in a status of this server's own
		return `{"message":"success","subscriber":{"name":"Bia","document":"111.444.777-35","email":"bia@example.com","phone":"+5511987654322",` +
			`"internet_speed_id":3,"customer_plan":"","created_at":"2026-01-31T12:34:56.000000Z","services":[` +
			`{"token_created_at":"2026-01-31T12:34:56.000000Z","content_supplier_product_name":"P","content_supplier_product_code":"p",` +
			`"content_supplier_product_id":25,"status_updated_at":"2026-01-31T12:34:57.000000Z","status_id":2,"status":"checkout"}]}}`, true
	case "GET /subscribers":
		return `{"response":"success","subscribers":[` + s.subscriber() + `]}`, true
	case "POST /subscribers/resend_activation_email":
		return `{"response":"success"}`, true
	case "POST /provision/suspend":
		s.readsLeft.Store(3)
		s.suspended.Store(true)
		return `{"response":"success"}`, true
	}
	return "", false
}

func (s *minimalScriptServer) subscriber() string {
	status := `"status_id":1,"status":"active"`
	if s.suspended.Load() {
		if status = `"status_id":4,"status":"suspend"`; s.readsLeft.Add(-1) > 0 {
			status = `"status_id":14,"status":"waitingSuspension"`
		}
	}
	return `{"name":"Ana","document":"529.982.247-25","email":"ana@example.com","phone":"+5511987654321",` +
		`"internet_speed_id":3,"customer_plan":"","created_at":"2026-01-31T12:34:56.000000Z","services":[` +
		`{"token_created_at":"2026-01-31T12:34:56.000000Z","content_supplier_product_name":"P","content_supplier_product_code":"p",` +
		`"content_supplier_product_id":25,"status_updated_at":"2026-02-01T12:34:56.000000Z",` + status + `},` +
		`{"token_created_at":"2026-01-31T12:34:56.000000Z","content_supplier_product_name":"Q","content_supplier_product_code":"q",` +
		`"content_supplier_product_id":26,"status_updated_at":"2026-02-01T12:34:56.000000Z","status_id":99,"status":"paused"}]}`
}
