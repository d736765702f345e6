package cmd

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
)

// complete returns the completions, without the hints.
func complete(u *user, args ...string) []string {
	u.t.Helper()
	got := u.run(nil, append([]string{"__complete"}, args...)...)
	if got.exit != cli.ExitOK {
		u.t.Errorf("%v: exit %d: %s", args, got.exit, got.stderr)
	}
	var words []string
	for line := range strings.Lines(got.stdout) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); word != "" && !strings.HasPrefix(word, ":") {
			words = append(words, word)
		}
	}
	return words
}

func TestCompletionOffersWhatMayStandThere(t *testing.T) {
	w := newExampleFixture(t)
	u := newUser(t, map[string]string{"ATIVA_ACCESS_TOKEN": w.token})
	for _, name := range []string{"work", "live"} {
		u.must("context", "add", name, "--server", w.url)
	}
	u.must("products")                                     // fills the cache
	eventually(t, "the words of the server", func() bool { // a busy machine may answer too late
		return complete(u, "provision", "suspend", "--product", "") != nil
	})
	products := []string{"play-basic", "play-premium", "musica", "musica-familia"}
	for _, c := range []struct {
		args, want []string
	}{
		{[]string{"provision", "suspend", "--product", ""}, products},
		{[]string{"provision", "suspend", "-p", "musica"}, []string{"musica", "musica-familia"}},
		{[]string{"subscribers", "list", "--status", "waitingS"}, []string{"waitingSuspension", "waitingSuspensionDueToOverdue"}},
		{[]string{"subscribers", "create", "--speed", "2"}, []string{"2", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29"}},
		{[]string{"products", "--context", ""}, []string{"live", "work"}},
		{[]string{"context", "use", "work", ""}, nil},
		{[]string{"products", "--columns", "id,c"}, []string{"id,code", "id,can"}},
		{[]string{"admin", "tokens", "create", "--scope", "read,can"}, []string{"read,cancel"}},
		{[]string{"products", "--sort", "na"}, []string{"name", "name:desc"}},
		{[]string{"events", "-o", "js"}, []string{"json", "jsonl"}},
		{[]string{"config", "set", "protected", ""}, []string{"true", "false"}},
		{[]string{"config", "get", "tok"}, []string{"token_command", "token_file"}},
		{[]string{"help", "exit"}, []string{"exit-codes"}},
		{[]string{"help", "context", "re"}, []string{"remove"}},
		{[]string{"api", "P"}, []string{"POST", "PUT"}},
		{[]string{"serve", "--print-config", "--columns", "k"}, []string{"key"}},
	} {
		var got []string
		eventually(t, fmt.Sprint(c.args), func() bool { // as above
			got = complete(u, c.args...)
			return got != nil || c.want == nil
		})
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: got %q, want %q", c.args, got, c.want)
		}
	}
	for _, k := range cli.Keys() {
		if files := strings.Contains(u.must("__complete", "config", "set", k.Name, "").stdout, ":0\n"); files != k.IsFile {
			t.Errorf("config set %s: got files %t, want %t", k.Name, files, k.IsFile)
		}
	}
}

func TestCompletionNeitherWaitsNorAsksNorComplains(t *testing.T) {
	t.Parallel()
	silent := "http://" + silentServer(t)
	for name, env := range map[string]map[string]string{
		"silent server":   {"ATIVA_SERVER": silent, "ATIVA_ACCESS_TOKEN": "t"},
		"no such context": {"ATIVA_CONTEXT": "nowhere"},
		"silent keyring":  {"ATIVA_SERVER": silent, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"},
		"not even a home": {"HOME": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": "", "XDG_STATE_HOME": ""},
		"odd environment": {"ATIVA_SERVER": "::::", "ATIVA_ACCESS_TOKEN": "\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t, env)
			start := time.Now()
			got := complete(u, "provision", "suspend", "--product", "")
			if took := time.Since(start); got != nil || took > 45*time.Second { // a request may take a minute
				t.Errorf("got %q after %v", got, took)
			}
		})
	}
}

func TestCompletionOffersNoCommandOfAServer(t *testing.T) {
	s := apitest.New("")
	s.Products = []api.Product{{ID: 1, Code: "$(touch x)", Name: "a"}, {ID: 2, Code: "--yes", Name: "b"}, {ID: 3, Code: "good", Name: "\x1b[31mred\nline"}, {ID: 4, Code: "a;b", Name: "c"}}
	u := userOf(t, s)
	eventually(t, "the words of the server", func() bool { return complete(u, "provision", "suspend", "--product", "") != nil })
	got := u.run(nil, "__complete", "provision", "suspend", "--product", "")
	if !strings.HasPrefix(got.stdout, "good\t\\x1b[31mred\\nline\n:4") {
		t.Errorf("got %q", got.stdout)
	}
}
