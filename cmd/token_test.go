package cmd

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
)

const readOnlyMembers = `,"name":"painel","scopes":["read"],"access_token_expires_at":null`

// startScopedServer starts a server that only authenticates, and counts how often. Its
// response has these fields besides the bearer.
func startScopedServer(t *testing.T, members string) (authentications *atomic.Int32, u *user) {
	t.Helper()
	authentications = new(atomic.Int32)
	return authentications, userOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == api.PathProducts {
			_, _ = io.WriteString(w, "[]")
			return
		}
		authentications.Add(1)
		_, _ = io.WriteString(w, `{"authorization":{"token":"b","type":"bearer","expires_in":3600`+members+`}}`)
	}))
}

// What a server may say of a token is tested by the client (TestAuthenticateDescribesTheAccessToken).
func TestAuthStatusShowsWhatTheTokenMayDo(t *testing.T) {
	soon := time.Now().Add(9 * 24 * time.Hour).UTC().Format(time.RFC3339)
	late := time.Now().Add(90 * 24 * time.Hour).UTC().Format(time.RFC3339)
	for _, c := range []struct {
		name, members string
		want          string // of stdout
		warned        bool
	}{
		{"expires late", `,"name":"p","scopes":["read","cancel"],"access_token_expires_at":"` + late + `"`, `"scopes":["read","cancel"],"expires_at":"20`, false},
		{"expires soon", `,"name":"p","scopes":["read"],"access_token_expires_at":"` + soon + `"`, `"expires_at":"20`, true},
		{"no scopes", ``, `"name":"","scopes":[],"expires_at":null`, false},
	} {
		authentications, u := startScopedServer(t, c.members)
		got := u.run(nil, "auth", "status", "-o", "json")
		compact := strings.NewReplacer("\n", "", " ", "").Replace(got.stdout)
		if got.exit != cli.ExitOK || !strings.Contains(compact, c.want) || strings.Contains(got.stderr, "expires on") != c.warned {
			t.Errorf("%s: exit %d, %s, %s; want %s, warned %t", c.name, got.exit, compact, got.stderr, c.want, c.warned)
		}
		if got = u.run(nil, "auth", "status", "--columns", "source,name,scopes"); got.exit != cli.ExitOK {
			t.Errorf("%s: exit %d, %s", c.name, got.exit, got.stderr)
		}
		if n := authentications.Load(); n != 1 {
			t.Errorf("%s: asked %d times, want 1: the cache remembers", c.name, n)
		}
	}
}

func TestAuthStatusShowsTheTokenInUseOnANarrowTerminal(t *testing.T) {
	var shown strings.Builder
	p, err := render.New(&shown, render.Options{Screen: render.Screen{Terminal: true, Width: 60, Height: 24}}, sourceRows())
	if err == nil {
		err = p.Results(t.Context(), nil, []sourceRow{{Source: "environment", Result: "not_set"}, {Source: "stored_file", Result: "used", AccessToken: api.AccessToken{Name: "default", Scopes: api.Scopes()}}})
	}
	if err != nil || !strings.Contains(shown.String(), "stored_file  used") {
		t.Errorf("got %v:\n%s", err, &shown)
	}
}

func TestAuthStatusWorksWithoutTheServer(t *testing.T) {
	u := newUser(t, map[string]string{"ATIVA_SERVER": "http://127.0.0.1:1", "ATIVA_ACCESS_TOKEN": "t"})
	got := u.run(nil, "auth", "status")
	if got.exit != cli.ExitOK || !strings.Contains(got.stdout, "environment\tused") || !strings.Contains(got.stderr, "could not be asked") {
		t.Errorf("exit %d, %s%s", got.exit, got.stdout, got.stderr)
	}
	for _, body := range []string{"<html>log in</html>", `{"authorization":[]}`, ""} { // a proxy answers
		u := userOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
		if got := u.run(nil, "auth", "status"); got.exit != cli.ExitOK || !strings.Contains(got.stderr, "could not be asked") {
			t.Errorf("%q: exit %d, %s%s", body, got.exit, got.stdout, got.stderr)
		}
	}
}

func TestAuthStatusOfARefusedTokenIsExit4(t *testing.T) {
	u := userOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	if got := u.run(nil, "auth", "status"); got.exit != cli.ExitAuth || !strings.Contains(got.stdout, "environment\tused") {
		t.Errorf("exit %d, %s%s", got.exit, got.stdout, got.stderr)
	}
}
