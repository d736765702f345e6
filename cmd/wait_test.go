package cmd

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
)

// --wait follows a status of the server's own until it is final, outlives a deleted subscriber and a
// server that is away, and sends nothing after its --timeout. Whatever ends it says that the change
// was accepted and how to see its outcome.
func TestAWaitSaysThatTheChangeWasAccepted(t *testing.T) {
	const limit, never, deleted = 5 * time.Second, time.Hour, "11144477735"
	answers := func(status int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Location", "https://portal.example.com")
			w.WriteHeader(status)
			return true
		}
	}
	for name, c := range map[string]struct {
		extensions string
		answer     func(http.ResponseWriter, *http.Request) bool // replaces the server's after the change
		final      time.Duration                                 // after it the server answers, and the services are active
		exit       int
		stderr     string
	}{
		"followed": {"", nil, 2 * time.Second, cli.ExitOK, "2 for a final status"},
		"pending":  {"", nil, never, cli.ExitPending, "accepted, but 2 of 2 services are not final after 5s"},
		"a feed that holds its answers": {api.ExtEvents, func(_ http.ResponseWriter, r *http.Request) bool {
			select {
			case <-r.Context().Done():
				return true
			case <-time.After(2 * time.Second):
				return false
			}
		}, never, cli.ExitPending, "accepted, but 2 of 2 services are not final after 5s"},
		"deleted": {"", func(w http.ResponseWriter, r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, deleted) && answers(http.StatusNotFound)(w, r)
		}, never, cli.ExitPending, "accepted, but 1 of 2 services are not final after 5s"},
		"deleted, which the feed does not tell": {api.ExtEvents, func(w http.ResponseWriter, r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, deleted) && answers(http.StatusNotFound)(w, r)
		}, never, cli.ExitPending, "accepted, but 1 of 2 services are not final after 5s"},
		"back":           {"", answers(http.StatusFound), 2 * time.Second, cli.ExitOK, ""},
		"away":           {"", answers(http.StatusFound), never, cli.ExitPending, "the answer points to https://portal.example.com"},
		"a feed is away": {api.ExtEvents, answers(http.StatusFound), never, cli.ExitPending, "the answer points to https://portal.example.com"},
		"refused":        {"", answers(http.StatusForbidden), never, cli.ExitAuth, "accepted, but 2 of 2 services are not final yet"},
		"silent": {"", func(_ http.ResponseWriter, r *http.Request) bool {
			<-r.Context().Done()
			return true
		}, never, cli.ExitPending, "accepted, but 2 of 2 services are not final after 5s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, began, late := apitest.New(c.extensions), time.Now(), 0
				s.Become["activate"] = api.Status{ID: 2, Name: "checkout"}
				s.Add(ana)
				s.Add(deleted)
				u := newUser(t, map[string]string{"ATIVA_SERVER": "http://127.0.0.1", "ATIVA_ACCESS_TOKEN": "t"})
				var stdout, stderr bytes.Buffer
				e := u.environment(strings.NewReader(""), &stdout, &stderr)
				network := apitest.NewNetwork()
				e.Transport = network.Transport
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch took := time.Since(began); {
					case took >= c.final:
						for _, one := range s.Subscribers {
							one.Services[0].Status, one.Services[0].StatusID = "active", api.StatusActive
						}
					case took >= limit:
						late++
					case took > 0 && c.answer != nil && c.answer(w, r):
						return
					}
					if r.URL.Path == api.PathEvents {
						_, _ = io.WriteString(w, `{"events":[],"next_cursor":"1","response":"success"}`)
						return
					}
					s.ServeHTTP(w, r)
				})}
				go server.Serve(network)
				defer server.Close()
				exit := Run(t.Context(), e, strings.Fields("provision activate --product p --wait --timeout 5s -o json "+ana+" "+deleted))
				took := time.Since(began)
				time.Sleep(never - time.Second)
				status, hint := `"status":"active"`, ""
				if c.exit != cli.ExitOK {
					status, hint = `"status":"checkout"`, "ativa subscribers explain"
				}
				if exit != c.exit || !strings.Contains(stdout.String(), status) || !strings.Contains(stderr.String(), c.stderr) || !strings.Contains(stderr.String(), hint) {
					t.Errorf("exit %d, want %d: %s%s", exit, c.exit, &stdout, &stderr)
				}
				if late > 0 || (took == limit) != (c.exit == cli.ExitPending) {
					t.Errorf("it took %v, and %d requests came after the time-out", took, late)
				}
			})
		})
	}
}
