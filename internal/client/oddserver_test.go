package client_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// oddServer follows api.md and nothing more, as differently from ours as that
// allows: documents with dots, `active: 1`, `message` for `response`, missing
// `services`, statuses nobody knows, minimal, empty and plain bodies, paths
// under /api only, and no extension.
type oddServer struct {
	// requests are the methods, paths and bodies that came, without those of
	// /authenticate.
	requests []string
}

func (s *oddServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/api")
	if !ok {
		http.NotFound(w, r)
		return
	}
	if path == "/authenticate" {
		say(w, 200, `{"authorization":{"token":"odd-bearer","type":"bearer","expires_in":"3600"}}`)
		return
	}
	if r.Header.Get("Authorization") != "Bearer odd-bearer" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.requests = append(s.requests, fmt.Sprintf("%s %s %s", r.Method, path, body))
	s.answer(w, r.Method+" "+path)
}

const oddSubscriber = `{"name":"Ana","document":"529.982.247-25","email":"ana@example.com","phone":"+5511987654321",` +
	`"internet_speed_id":"3","customer_plan":null,"created_at":"2026-01-31 12:34:56","segment":"gold"}`

func (s *oddServer) answer(w http.ResponseWriter, route string) {
	switch route {
	case "GET /subscribers/529.982.247-25", "GET /subscribers/52998224725":
		say(w, 200, `{"message":"success","subscriber":`+oddSubscriber+`}`)
	case "GET /subscribers":
		say(w, 200, `{"response":"success","total":1,"subscribers":[`+oddSubscriber+`]}`)
	case "GET /products":
		say(w, 200, `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":1,"can":["activate","resell"]}],"message":"success"}`)
	case "GET /products/status":
		say(w, 200, `{"status":[{"id":99,"name":"paused"}],"message":"success"}`)
	case "POST /subscribers/import":
		say(w, 200, `{"response":"success"}`)
	case "POST /provision/activate":
		w.WriteHeader(http.StatusNoContent)
	case "POST /provision/suspend":
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "OK")
	case "POST /provision/deactivate":
		say(w, 200, `{"response":"error","message":"service is not active"}`)
	case "POST /provision/change":
		say(w, 422, `{"message":"The given data was invalid.","errors":{"product_id":["unknown product"]}}`)
	case "PUT /subscribers/52998224725":
		say(w, 200, `[]`)
	case "DELETE /subscribers/52998224725":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html>please log in</html>")
	case "POST /subscribers", "PUT /subscribers/11144477735", "DELETE /subscribers/11144477735", "POST /subscribers/resend_activation_email":
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		_, _ = io.WriteString(w, "OK")
	case "GET /subscribers/11144477735":
		w.Header().Set("Content-Type", "text/html") // JSON all the same
		_, _ = io.WriteString(w, `{"message":"success","subscriber":`+oddSubscriber+`}`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}
