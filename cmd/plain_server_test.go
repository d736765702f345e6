package cmd

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ativa/internal/cli"
)

// plainServer implements api.md without extensions. It answers by method and path, from
// answers or with the usual answer; a test handles all else.
type plainServer struct {
	answers map[string]string
	others  http.HandlerFunc
}

// usualAnswers authenticate everybody and list the products P and Q.
var usualAnswers = map[string]string{
	"POST /authenticate":               `{"authorization":{"token":"b","type":"bearer","expires_in":3600}}`,
	"GET /products":                    `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":1},{"id":26,"name":"Q","code":"q","active":1}],"message":"success"}`,
	"GET /products/status":             `{"status":[{"id":1,"name":"active"},{"id":2,"name":"checkout"}],"message":"success"}`,
	"GET /subscribers/internet_speeds": `{"internet_speeds":[{"id":3,"speed":"30 Mbps","slug":"30"},{"id":36,"speed":"1000 Mbps","slug":"1000"},{"id":38,"speed":"Não informada","slug":"nao-informada"}],"response":"success"}`,
}

func (s *plainServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route := r.Method + " " + r.URL.Path
	switch body := cmp.Or(s.answers[route], usualAnswers[route]); {
	case body != "":
		_, _ = io.WriteString(w, body)
	case s.others != nil:
		s.others(w, r)
	default:
		http.NotFound(w, r)
	}
}

// userOf returns a user of the server.
func userOf(t *testing.T, h http.Handler) *user {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newUser(t, map[string]string{"ATIVA_SERVER": server.URL, "ATIVA_ACCESS_TOKEN": "t"})
}

// minimalServer answers every write with the web page OK. Its only subscriber has the
// services of the test. sent is the body of the last write.
func minimalServer(t *testing.T, services string) (u *user, sent *string) {
	t.Helper()
	return minimalServerWith(t, services, func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		_, _ = io.WriteString(w, "OK")
	})
}

// minimalServerWith is [minimalServer] with another answer to writes.
func minimalServerWith(t *testing.T, services string, answer func(http.ResponseWriter)) (u *user, sent *string) {
	t.Helper()
	sent = new(string)
	return userOf(t, &plainServer{onlySubscriber(services), func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		*sent = string(body)
		answer(w)
	}}), sent
}

// onlySubscriber are the answers about one subscriber.
func onlySubscriber(services string) map[string]string {
	subscriber := `{"name":"Ana","document":"529.982.247-25","email":"ana@example.com","phone":"+5511987654321","internet_speed_id":3,"customer_plan":"","services":[` + services + `]}`
	return map[string]string{
		"GET /subscribers":             `{"message":"success","subscribers":[` + subscriber + `]}`,
		"GET /subscribers/52998224725": `{"message":"success","subscriber":` + subscriber + `}`,
	}
}

// serviceEntry is one of the services.
func serviceEntry(product, id, status string) string {
	return `{"content_supplier_product_id":` + product + `,"content_supplier_product_code":"p","status_id":` + id + `,"status":"` + status + `"}`
}

// A command that the server does not support is refused before anything is sent.
func TestAServerWithoutOverdueIsNamedAsSuch(t *testing.T) {
	for _, operation := range []string{"overdue", "settle"} {
		for _, more := range [][]string{nil, {"--dry-run"}, {"--status", "active", "--yes", "--max-changes", "1"}} {
			u, sent := minimalServer(t, serviceEntry("25", "1", "active"))
			args := []string{"provision", operation, "--product", "p"}
			if len(more) < 2 {
				args = append(args, "52998224725")
			}
			got := u.run(nil, append(args, more...)...)
			if got.exit != cli.ExitRefused || !strings.Contains(got.stderr, "this server knows no suspension for lack of payment; nothing was sent") || *sent != "" {
				t.Errorf("%v %v: exit %d, %q, sent %q", args, more, got.exit, got.stderr, *sent)
			}
		}
	}
}
