package cmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// startNotAllowedServer starts a server that answers everything but /authenticate with 405 and
// plain text, like Go's mux, and points the script at it.
func startNotAllowedServer(ts *testscript.TestScript, _ bool, _ []string) {
	pointAt(ts, &plainServer{others: func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	}})
}

func pointAt(ts *testscript.TestScript, h http.Handler) {
	server := httptest.NewServer(h)
	ts.Defer(server.Close)
	ts.Setenv("ATIVA_SERVER", server.URL)
	ts.Setenv("ATIVA_ACCESS_TOKEN", "plain-token")
}

// startMinimalServer starts a server that implements only api.md, under /api, and points
// the script at it: no history, feed or dry run, empty answers to writes. A suspension is
// final after two reads.
func startMinimalServer(ts *testscript.TestScript, _ bool, _ []string) {
	var readsLeft atomic.Int32 // until the suspension is confirmed
	var suspended atomic.Bool
	subscriber := func() string {
		status := `"status_id":1,"status":"active"`
		if suspended.Load() {
			if status = `"status_id":4,"status":"suspend"`; readsLeft.Add(-1) > 0 {
				status = `"status_id":14,"status":"waitingSuspension"`
			}
		}
		return `{"name":"Ana","document":"529.982.247-25","email":"ana@example.com","phone":"+5511987654321",` +
			`"internet_speed_id":3,"customer_plan":"","created_at":"2026-01-31T12:34:56.000000Z","services":[` +
			scriptService("P", "p", "25", "2026-02-01T12:34:56.000000Z", status) + `,` +
			scriptService("Q", "q", "26", "2026-02-01T12:34:56.000000Z", `"status_id":99,"status":"paused"`) + `]}`
	}
	answers := map[string]string{
		"GET /products":                             `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":1,"can":["activate","suspend"]}],"message":"success"}`,
		"GET /products/status":                      `{"status":[{"id":1,"name":"active"},{"id":2,"name":"checkout"},{"id":99,"name":"paused"}],"message":"success"}`,
		"POST /subscribers/resend_activation_email": `{"response":"success"}`,
		// Its requested activation begins in an unknown status.
		"GET /subscribers/11144477735": `{"message":"success","subscriber":{"name":"Bia","document":"111.444.777-35","email":"bia@example.com","phone":"+5511987654322",` +
			`"internet_speed_id":3,"customer_plan":"","created_at":"2026-01-31T12:34:56.000000Z","services":[` +
			scriptService("P", "p", "25", "2026-01-31T12:34:57.000000Z", `"status_id":2,"status":"checkout"`) + `]}}`,
	}
	pointAt(ts, http.StripPrefix("/api", &plainServer{answers, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /subscribers/52998224725":
			_, _ = io.WriteString(w, `{"message":"success","subscriber":`+subscriber()+`}`)
		case "GET /subscribers":
			_, _ = io.WriteString(w, `{"response":"success","subscribers":[`+subscriber()+`]}`)
		case "POST /provision/suspend":
			readsLeft.Store(3)
			suspended.Store(true)
			_, _ = io.WriteString(w, `{"response":"success"}`)
		default:
			http.NotFound(w, r)
		}
	}}))
}

func scriptService(name, code, id, since, status string) string {
	return `{"token_created_at":"2026-01-31T12:34:56.000000Z","content_supplier_product_name":"` + name + `","content_supplier_product_code":"` + code +
		`","content_supplier_product_id":` + id + `,"status_updated_at":"` + since + `",` + status + `}`
}
