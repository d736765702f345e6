package cmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/cli"
)

// TestNoRedirectCarriesAnythingAway lets a server answer with each redirect, to
// another host, for the access token, for a read with the bearer, and for a
// change with personal data: the other host must hear nothing.
func TestNoRedirectCarriesAnythingAway(t *testing.T) {
	for _, status := range []int{http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		for step, redirects := range map[string]func(*http.Request) bool{
			"authenticate": func(r *http.Request) bool { return r.URL.Path == "/authenticate" },
			"rest":         func(r *http.Request) bool { return r.URL.Path != "/authenticate" },
		} {
			t.Run(fmt.Sprint(status, " ", step), func(t *testing.T) {
				var heard atomic.Int32
				elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard.Add(1) }))
				defer elsewhere.Close()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if redirects(r) {
						w.Header().Set("Location", strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)+r.URL.Path)
						w.WriteHeader(status)
						return
					}
					_, _ = io.WriteString(w, `{"authorization":{"token":"b","type":"bearer","expires_in":3600}}`)
				}))
				defer server.Close()
				u := newUser(t, map[string]string{"ATIVA_SERVER": server.URL, "ATIVA_ACCESS_TOKEN": "t"})
				for _, args := range [][]string{
					{"products"},
					{"subscribers", "get", "52998224725"},
					{"subscribers", "create", "--name", "Ana", "--email", "a@example.com", "--document", "52998224725", "--phone", "11987654321"},
					{"api", "POST", "/provision/suspend", "-f", "documents[]=52998224725"},
				} {
					got := u.run(nil, args...)
					if got.exit != cli.ExitUnavailable || !strings.Contains(got.stderr, "points to "+strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)+":") {
						t.Errorf("%v: exit %d, %s; want the redirect refused", args, got.exit, got.stderr)
					}
				}
				if n := heard.Load(); n != 0 {
					t.Errorf("the other host heard %d requests", n)
				}
			})
		}
	}
}

func TestNoCommandHangsOnASilentServer(t *testing.T) {
	t.Parallel()
	address := "http://" + silentServer(t)
	var waiting sync.WaitGroup // all at once: they only wait
	defer waiting.Wait()
	for _, args := range [][]string{
		{"products"}, {"status"}, {"subscribers", "list"}, {"subscribers", "search", "ana"}, {"subscribers", "get", "52998224725"},
		{"subscribers", "history", "52998224725"}, {"subscribers", "explain", "52998224725"}, {"subscribers", "speeds"},
		{"subscribers", "export"}, {"subscribers", "delete", "52998224725", "--yes"}, {"subscribers", "resend", "52998224725"},
		{"subscribers", "update", "52998224725", "--plan", "x"}, {"events"}, {"events", "--follow"},
		{"provision", "suspend", "--product", "1", "52998224725"}, {"provision", "change", "52998224725", "--from", "1", "--to", "2"},
		{"api", "GET", "/products"}, {"doctor"}, {"auth", "token"}, {"login", "--context", "c", "--storage", "file", "--token-stdin"},
	} {
		u := newUser(t, map[string]string{"ATIVA_ACCESS_TOKEN": "t"})
		if got := u.run(nil, "context", "add", "c", "--server", address); got.exit != cli.ExitOK {
			t.Fatal(got.stderr)
		}
		waiting.Go(func() {
			start := time.Now()
			got := u.run(strings.NewReader("t\n"), append(args, "--timeout", "200ms")...)
			if took := time.Since(start); got.exit != cli.ExitUnavailable || took > testTimeout {
				t.Errorf("%v: exit %d after %v, want %d soon\n%s", args, got.exit, took, cli.ExitUnavailable, got.stderr)
			}
		})
	}
}
