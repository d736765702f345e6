package cmd

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ativa/cmd/operator"
	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
)

func TestAdviceOfServeDevNamesItsContext(t *testing.T) {
	const url = "http://127.0.0.1:8080"
	for _, c := range []struct {
		env     map[string]string
		current bool // another context is current
		want    string
	}{
		{nil, false, "ativa products"},
		{nil, true, "ativa products --context dev"},
		{map[string]string{"ATIVA_CONTEXT": "live"}, false, "ativa products --context dev"},
		{map[string]string{"ATIVA_SERVER": "https://live.example.com"}, true, "ativa products --context dev --server " + url},
		{map[string]string{"ATIVA_SERVER": url}, true, "ativa products --context dev"},
	} {
		u := newUser(t, c.env)
		if c.current {
			u.must("context", "add", "live", "--server", "https://live.example.com", "--use")
		}
		got, err := operator.UseDevContext(u.environment(nil, nil, nil), url)
		if err != nil || got != c.want {
			t.Errorf("%v, another current %t: got %q, %v; want %q", c.env, c.current, got, err, c.want)
		}
	}
}

// --context all asks all servers concurrently, each with its own token.
func TestAllContextsAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	u := newUser(t, nil)
	const contexts = 3
	var asked sync.WaitGroup // until every context was asked
	asked.Add(contexts)
	for i := range contexts {
		token, s := fmt.Sprint("token-of-", i), apitest.New("")
		s.Add(ana).Name = fmt.Sprint("Ana ", i)
		s.Answer = func(_ http.ResponseWriter, r apitest.Request) bool {
			if r.Path != api.PathAuthenticate {
				asked.Done()
				asked.Wait()
			} else if !strings.Contains(string(r.Body), token) {
				t.Errorf("context %d got another token: %s", i, r.Body)
			}
			return false
		}
		u.must("context", "add", fmt.Sprint("c", i), "--server", userOf(t, s).env["ATIVA_SERVER"], "--token-command", "echo said >&2; echo "+token)
	}
	got := u.must("subscribers", "search", "ana", "--context", "all", "--columns", "context,name")
	if want := "context\tname\nc0\tAna 0\nc1\tAna 1\nc2\tAna 2\n"; got.stdout != want {
		t.Errorf("got %q, want %q", got.stdout, want)
	}
	for i := range contexts {
		if !strings.Contains(got.stderr, fmt.Sprintf("c%d: said\n", i)) {
			t.Errorf("the output of the command of c%d lacks its name: %q", i, got.stderr)
		}
	}
}

// A context that fails after it found subscribers has none, in a table as in JSON.
func TestAContextWithAnErrorHasNoSubscribers(t *testing.T) {
	t.Parallel()
	s := apitest.New(api.ExtSchedule)
	s.Add(ana)
	s.Answer = func(w http.ResponseWriter, r apitest.Request) bool {
		forbidden := r.Path != api.PathAuthenticate && r.Path != "/subscribers/"+ana
		if forbidden {
			w.WriteHeader(http.StatusForbidden)
		}
		return forbidden
	}
	u := userOf(t, s)
	u.must("context", "add", "only", "--server", u.env["ATIVA_SERVER"], "--token-command", "echo t")
	u.env["ATIVA_SERVER"], u.env["ATIVA_ACCESS_TOKEN"] = "", ""
	for _, format := range []string{"json", "tsv"} {
		got := u.run(nil, "subscribers", "get", ana, "--context", "all", "-o", format)
		if got.exit != cli.ExitUnavailable || strings.Contains(got.stdout, "Ana") || !strings.Contains(got.stderr, "no answer from only: ") {
			t.Errorf("-o %s: got exit %d, %s%s", format, got.exit, got.stdout, got.stderr)
		}
	}
}
