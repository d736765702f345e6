package client_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// oddServer implements only api.md, and as differently from our server as it
// allows: documents with dots, `active: 1`, `message` instead of `response`, no
// `services`, unknown statuses, minimal, empty and plain-text bodies, paths only
// under /api, and no extension.
type oddServer struct {
	// requests are the methods, paths and bodies received, without those of
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
		respond(w, 200, `{"authorization":{"token":"odd-bearer","type":"bearer","expires_in":"3600"}}`)
		return
	}
	if r.Header.Get("Authorization") != "Bearer odd-bearer" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.requests = append(s.requests, fmt.Sprintf("%s %s %s", r.Method, path, body))
	s.respond(w, r.Method+" "+path)
}

const oddSubscriber = `{"name":"Ana","document":"529.982.247-25","email":"ana@example.com","phone":"+5511987654321",` +
	`"internet_speed_id":"3","customer_plan":null,"created_at":"2026-01-31 12:34:56","segment":"gold"}`

func (s *oddServer) respond(w http.ResponseWriter, route string) {
	switch route {
	case "GET /subscribers/529.982.247-25", "GET /subscribers/52998224725":
		w.Header().Set("Content-Type", "text/html") // JSON nevertheless
		_, _ = io.WriteString(w, `{"message":"success","subscriber":`+oddSubscriber+`}`)
	case "GET /subscribers":
		respond(w, 200, `{"response":"success","total":1,"subscribers":[`+oddSubscriber+`]}`)
	case "GET /products":
		respond(w, 200, `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":1,"can":["activate","resell"]}],"message":"success"}`)
	case "GET /products/status":
		respond(w, 200, `{"status":[{"id":99,"name":"paused"}],"message":"success"}`)
	case "POST /subscribers/import":
		respond(w, 200, `{"response":"success"}`)
	case "POST /provision/activate":
		w.WriteHeader(http.StatusNoContent)
	case "POST /provision/suspend":
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "OK")
	case "POST /provision/deactivate":
		respond(w, 200, `{"response":"error","message":"service is not active"}`)
	case "POST /provision/change":
		respond(w, 422, `{"message":"The given data was invalid.","errors":{"product_id":["unknown product"]}}`)
	case "PUT /subscribers/52998224725":
		respond(w, 200, `[]`)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}
