package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/cli"
	"ativa/internal/run"
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

// A run is completed only if the command can use it: resume needs its unchanged file, undo its
// report. A refused undo proposes to resume the run only where that is possible.
func TestCompletionOffersRunsThatTheCommandTakes(t *testing.T) {
	present, missing := writeFile(t, "present.csv", ""), filepath.Join(t.TempDir(), "missing.csv")
	changed, none := writeFile(t, "changed.csv", "another"), run.Report{}
	report := func(path, hash string) run.Report { return run.Report{Path: path, SHA256: hash} }
	of := func(kind, file, state string, r run.Report) run.Info {
		const hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // of an empty file
		return run.Info{Header: run.Header{Spec: run.Spec{Kind: kind, File: file, SHA256: hash}}, State: state, Report: r}
	}
	for name, c := range map[string]struct {
		run   run.Info
		takes []string
	}{
		"interrupted":                 {of("import", present, run.StateInterrupted, none), []string{"show", "resume", "purge"}},
		"interrupted, file changed":   {of("import", changed, run.StateInterrupted, none), []string{"show", "purge"}},
		"a selection":                 {of("provision suspend", "", run.StateInterrupted, none), []string{"show", "resume", "purge"}},
		"standard input":              {of("import", "-", run.StateInterrupted, none), []string{"show", "resume", "purge"}},
		"what a command prints":       {of("sync", fromCommand, run.StateInterrupted, none), []string{"show", "purge"}},
		"running":                     {of("sync", present, run.StateRunning, report(present, "")), []string{"show"}},
		"finished":                    {of("sync", missing, run.StateFinished, report(present, "ab")), []string{"show", "undo", "purge"}},
		"finished, report missing":    {of("sync", present, run.StateFinished, report(missing, "ab")), []string{"show", "purge"}},
		"ended before its report was": {of("provision suspend", present, run.StateInterrupted, report(present, "")), []string{"show", "resume", "purge"}},
	} {
		got := []string{"show"}
		for command, takes := range map[string]func(run.Info) bool{"resume": isResumable, "undo": isUndoable, "purge": isPurgeable} {
			if takes(c.run) {
				got = append(got, command)
			}
		}
		slices.Sort(got)
		slices.Sort(c.takes)
		if !slices.Equal(got, c.takes) {
			t.Errorf("%s: offered to %q, want %q", name, got, c.takes)
		}
		refused, _ := errors.AsType[*cli.Failure](checkUndoable(c.run))
		if refused != nil && c.run.State == run.StateInterrupted && strings.Contains(refused.Hint.String(), "ativa imports resume") != slices.Contains(c.takes, "resume") {
			t.Errorf("%s: an undo proposes %q", name, refused.Hint)
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
