package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/processtest"
)

// scopedServer is a server whose token may only read, unless all is set. Its answer
// to /authenticate has the members that the test gives.
type scopedServer struct {
	members        string // of authorization, beside the bearer
	all            atomic.Bool
	authentication atomic.Int32
	refused        atomic.Int32
	done           atomic.Int32 // requests that changed something
}

const readOnlyMembers = `,"name":"painel","scopes":["read"],"access_token_expires_at":null`

func (s *scopedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Ativa-Extensions", "idempotency-key, validate")
	w.Header().Set("Content-Type", "application/json")
	answers := map[string]string{
		"POST /authenticate":               `{"authorization":{"token":"b","type":"bearer","expires_in":3600` + s.members + `}}`,
		"GET /products":                    `{"content_supplier_products":[{"id":25,"name":"P","code":"p","active":true}]}`,
		"GET /products/status":             `{"status":[{"id":1,"name":"active"}]}`,
		"GET /subscribers/internet_speeds": `{"internet_speeds":[{"id":3,"speed":"30 Mbps","slug":"30"},{"id":38,"speed":"Não informada","slug":"n"}]}`,
		"GET /subscribers":                 `{"subscribers":[]}`,
	}
	route := r.Method + " " + r.URL.Path
	answer, known := answers[route]
	switch {
	case known:
		if route == "POST /authenticate" {
			s.authentication.Add(1)
		}
		_, _ = io.WriteString(w, answer)
	case r.Method == http.MethodGet:
		http.NotFound(w, r)
	case !s.all.Load():
		s.refused.Add(1)
		scope := "cancel"
		if strings.HasSuffix(r.URL.Path, "/import") {
			scope = "import"
		} else if strings.HasSuffix(r.URL.Path, "/suspend") {
			scope = "provision"
		}
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+scope+`"`)
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, `{"response":"error","code":"insufficient_scope","detail":"no","required_scope":%q}`, scope)
	default:
		s.done.Add(1)
		_, _ = io.WriteString(w, resultsFor(body))
	}
}

// resultsFor answers an import or a batch: every element is done.
func resultsFor(body []byte) string {
	var request struct{ Subscribers, Documents []any }
	_ = json.Unmarshal(body, &request)
	var results []string
	for i := range len(request.Subscribers) {
		results = append(results, fmt.Sprintf(`{"index":%d,"result":"created","services":[]}`, i))
	}
	for i, document := range request.Documents {
		results = append(results, fmt.Sprintf(`{"index":%d,"document":%q,"result":"accepted"}`, i, document))
	}
	return `{"response":"success","summary":{},"content_supplier_product_id":25,"operation":"suspend","results":[` + strings.Join(results, ",") + `]}`
}

func startScopedServer(t *testing.T, members string) (*scopedServer, *user) {
	t.Helper()
	s := &scopedServer{members: members}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, newUser(t, map[string]string{"ATIVA_SERVER": server.URL, "ATIVA_ACCESS_TOKEN": "t"})
}

func TestAuthStatusShowsWhatTheTokenMayDo(t *testing.T) {
	soon := time.Now().Add(9 * 24 * time.Hour).UTC().Format(time.RFC3339)
	late := time.Now().Add(90 * 24 * time.Hour).UTC().Format(time.RFC3339)
	for _, c := range []struct {
		name, members string
		want          string // of stdout
		warned        bool
	}{
		{"no expiry", readOnlyMembers, `"name":"painel","scopes":["read"],"expires_at":null`, false},
		{"expires late", `,"name":"p","scopes":["read","cancel"],"access_token_expires_at":"` + late + `"`, `"scopes":["read","cancel"],"expires_at":"20`, false},
		{"expires soon", `,"name":"p","scopes":["read"],"access_token_expires_at":"` + soon + `"`, `"expires_at":"20`, true},
		{"unknown scope", `,"name":"p","scopes":["read","later"]`, `"scopes":["read","later"]`, false},
		{"no scopes", ``, `"name":"","scopes":[],"expires_at":null`, false},
		{"other meaning", `,"name":{"first":"A"},"scopes":"read write","access_token_expires_at":5`, `"name":"","scopes":[],"expires_at":null`, false},
	} {
		s, u := startScopedServer(t, c.members)
		got := u.run(nil, "auth", "status", "-o", "json")
		compact := strings.NewReplacer("\n", "", " ", "").Replace(got.stdout)
		if got.exit != cli.ExitOK || !strings.Contains(compact, c.want) || strings.Contains(got.stderr, "expires on") != c.warned {
			t.Errorf("%s: exit %d, %s, %s; want %s, warned %t", c.name, got.exit, compact, got.stderr, c.want, c.warned)
		}
		if got = u.run(nil, "auth", "status", "--columns", "source,name,scopes"); got.exit != cli.ExitOK {
			t.Errorf("%s: exit %d, %s", c.name, got.exit, got.stderr)
		}
		if n := s.authentication.Load(); n != 1 {
			t.Errorf("%s: asked %d times, want 1: the cache remembers", c.name, n)
		}
	}
}

func TestAuthStatusWorksWithoutTheServer(t *testing.T) {
	u := newUser(t, map[string]string{"ATIVA_SERVER": "http://127.0.0.1:1", "ATIVA_ACCESS_TOKEN": "t"})
	got := u.run(nil, "auth", "status")
	if got.exit != cli.ExitOK || !strings.Contains(got.stdout, "environment\tused") || !strings.Contains(got.stderr, "could not be asked") {
		t.Errorf("exit %d, %s%s", got.exit, got.stdout, got.stderr)
	}
	for _, body := range []string{"<html>log in</html>", `{"authorization":[]}`, ""} { // a proxy in between
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		u.env["ATIVA_SERVER"] = server.URL
		if got := u.run(nil, "auth", "status"); got.exit != cli.ExitOK || !strings.Contains(got.stderr, "could not be asked") {
			t.Errorf("%q: exit %d, %s%s", body, got.exit, got.stdout, got.stderr)
		}
		server.Close()
	}
}

// What an older version left in the cache says nothing of scopes: the server is
// asked, once.
func TestAuthStatusAsksWhereTheCacheDoesNotTell(t *testing.T) {
	s, u := startScopedServer(t, readOnlyMembers)
	u.run(nil, "products")
	files, err := filepath.Glob(filepath.Join(u.env["XDG_CACHE_HOME"], "ativa", "bearer", "bearer-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	older, _, _ := strings.Cut(string(text), `,"told"`)
	if err := os.WriteFile(files[0], []byte(older+"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := u.run(nil, "auth", "status"); !strings.Contains(got.stdout, "painel\tread") || s.authentication.Load() != 2 {
			t.Errorf("asked %d times: %s%s", s.authentication.Load(), got.stdout, got.stderr)
		}
	}
}

func TestAuthStatusOfARefusedTokenIsExit4(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer server.Close()
	u := newUser(t, map[string]string{"ATIVA_SERVER": server.URL, "ATIVA_ACCESS_TOKEN": "t"})
	if got := u.run(nil, "auth", "status"); got.exit != cli.ExitAuth || !strings.Contains(got.stdout, "environment\tused") {
		t.Errorf("exit %d, %s%s", got.exit, got.stdout, got.stderr)
	}
}

func TestMissingScopeIsSaidInPlainWords(t *testing.T) {
	_, u := startScopedServer(t, readOnlyMembers)
	args := []string{"api", "DELETE", "/subscribers/52998224725"}
	got := u.run(nil, args...)
	for _, want := range []string{"ativa: the access token painel may not do this: it lacks the scope cancel (cancel services and erase subscribers)\n",
		"ask whoever runs the server for a token with the scope cancel; this one has read\n"} {
		if got.exit != cli.ExitAuth || !strings.Contains(got.stderr, want) {
			t.Errorf("exit %d, %s; want %d and %s", got.exit, got.stderr, cli.ExitAuth, want)
		}
	}
	if got = u.run(nil, append(args, "--lang", "pt")...); !strings.Contains(got.stderr, "o token de acesso painel não pode fazer isso: falta a permissão cancel") || strings.Contains(got.stderr, "403") {
		t.Errorf("in Portuguese: %s", got.stderr)
	}
	got = u.run(nil, append(args, "-o", "json")...)
	problem := decode[struct {
		Code       string
		HTTPStatus int `json:"http_status"`
		Retryable  bool
	}](t, got.stderr)
	if problem.Code != "insufficient_scope" || problem.HTTPStatus != 403 || problem.Retryable {
		t.Errorf("got %+v from %s", problem, got.stderr)
	}
}

// A refusal that names no scope, of a proxy perhaps, is told as before.
func TestForbiddenWithoutAScopeIsNoMissingScope(t *testing.T) {
	for _, body := range []string{`{"message":"Forbidden"}`, `{"code":"insufficient_scope"}`, `{"code":"insufficient_scope","required_scope":["x"]}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/authenticate" {
				_, _ = io.WriteString(w, `{"authorization":{"token":"b","expires_in":60`+readOnlyMembers+`}}`)
				return
			}
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, body)
		}))
		u := newUser(t, map[string]string{"ATIVA_SERVER": server.URL, "ATIVA_ACCESS_TOKEN": "t"})
		if got := u.run(nil, "products"); got.exit != cli.ExitAuth || strings.Contains(got.stderr, "lacks the scope") || !strings.Contains(got.stderr, "ativa auth status") {
			t.Errorf("%s: exit %d, %s", body, got.exit, got.stderr)
		}
		server.Close()
	}
}

// A run of thousands stops at the first refusal, and goes on with another token.
func TestRunsStopWithoutTheScopeAndGoOnWithAnotherToken(t *testing.T) {
	dir := t.TempDir()
	var rows, documents strings.Builder
	rows.WriteString("nome;e-mail;cpf;telefone\n")
	for i := range 3000 {
		fmt.Fprintf(&rows, "Pessoa %d;p%d@example.com;%s;119%08d\n", i, i, processtest.Document(i), i)
		fmt.Fprintln(&documents, processtest.Document(i))
	}
	for name, text := range map[string]string{"novos.csv": rows.String(), "lista.txt": documents.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		scope string
		args  []string
		again string
		done  int32
	}{
		{"import", []string{"subscribers", "import", filepath.Join(dir, "novos.csv"), "--batch-size", "100"}, ", or: ativa imports resume ", 30},
		{"provision", []string{"provision", "suspend", "--product", "p", "--file", filepath.Join(dir, "lista.txt"), "--batch-size", "100"}, ", or: ativa imports resume ", 30},
		{"import", []string{"sync", filepath.Join(dir, "novos.csv"), "--yes"}, ": what is done is not done twice", 3},
	} {
		s, u := startScopedServer(t, readOnlyMembers)
		got := u.run(nil, c.args...)
		if got.exit != cli.ExitAuth || !strings.Contains(got.stderr, "lacks the scope "+c.scope) || !strings.Contains(got.stderr, "this one has read; then run the same command again"+c.again) {
			t.Errorf("%s: exit %d, %s", c.scope, got.exit, got.stderr)
		}
		if strings.Contains(got.stderr, "without an answer, 0") || s.refused.Load() > 8 {
			t.Errorf("%s: %d requests were sent of 30; %s", c.scope, s.refused.Load(), got.stderr)
		}
		s.all.Store(true)
		if got = u.run(nil, c.args...); got.exit != cli.ExitOK || s.done.Load() != c.done {
			t.Errorf("%s again: exit %d, %d batches, %s", c.scope, got.exit, s.done.Load(), got.stderr)
		}
	}
}
