package cmd

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
)

func TestRetryIsToldAtATerminal(t *testing.T) {
	t.Parallel()
	s, asked := apitest.New(""), 0
	s.Answer = func(_ http.ResponseWriter, r apitest.Request) bool {
		if r.Path == api.PathProducts {
			if asked++; asked%2 == 1 {
				panic(http.ErrAbortHandler)
			}
		}
		return false
	}
	u := userOf(t, s)
	u.must("auth", "token") // else the request uses its connection, and net/http repeats it without a word
	const retry = "no whole answer came: the connection was cut; trying again in 1 s"
	for _, line := range []string{"products", "products --quiet"} {
		if exit, got := u.typeAt("", strings.Fields(line)...); exit != cli.ExitOK || strings.Contains(got, retry) != (line == "products") {
			t.Errorf("%s: exit %d, got %q", line, exit, got)
		}
	}
	if got := u.must("products"); got.stderr != "" {
		t.Errorf("without a terminal: got %q, want nothing", got.stderr)
	}
}

// Without a command the program shows help at a terminal, and fails in a script.
func TestTheBareProgramShowsItsCommandsAtATerminal(t *testing.T) {
	u := newUser(t, nil)
	if exit, got := u.typeAt(""); exit != cli.ExitOK || !strings.Contains(got, "subscribers  Register, find and change") {
		t.Errorf("exit %d, shown %q; want 0 and the commands", exit, got)
	}
	if got := u.run(nil); got.exit != cli.ExitUsage || got.stdout != "" || !strings.Contains(got.stderr, "ativa needs a command") {
		t.Errorf("without a terminal: exit %d, stdout %q, stderr %q; want 2", got.exit, got.stdout, got.stderr)
	}
}

// A list longer than the screen goes through the chosen pager, else through less if
// installed (cli.md, Output).
func TestALongListGoesThroughAPager(t *testing.T) {
	f := newCaptureFixture(t)
	f.lines = 10
	bin := t.TempDir()
	for _, name := range []string{"less", "mine"} {
		must(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho \"paged by $0 $*\"\nwhile read -r line; do echo \"$line\"; done\n"), 0o700))
	}
	t.Setenv("PATH", bin)
	for _, c := range []struct{ term, ours, line, want string }{
		{"dumb", "", "subscribers speeds", "ID"}, // less would ask for a key before each screen
		{"xterm-256color", "", "subscribers speeds", "paged by " + bin + "/less -FRX"},
		{"xterm-256color", "mine -x", "subscribers speeds", "paged by " + bin + "/mine -x"},
		{"xterm-256color", "", "subscribers speeds --no-pager", "ID"},
		{"xterm-256color", "", "subscribers speeds --limit 3", "ID"},
	} {
		f.env["TERM"], f.env["ATIVA_PAGER"] = c.term, c.ours
		if screen := f.screen("en", 80, c.line); !strings.HasPrefix(strings.TrimSpace(screen), c.want) {
			t.Errorf("TERM=%s ATIVA_PAGER=%q %s: got\n%s\nwant %q first", c.term, c.ours, c.line, screen, c.want)
		}
	}
}
