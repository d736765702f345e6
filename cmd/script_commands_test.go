package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ativa/internal/cli"
	"ativa/internal/system"
	"ativa/internal/system/systemtest"
)

// exitsWith runs a command and checks its exit code: exits 2 ativa subscribers. Its
// output goes to the files stdout and stderr.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	c := exec.CommandContext(context.Background(), path, args[2:]...)
	c.Dir, c.Env = ts.Getenv("WORK"), environ(ts)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	_ = c.Run() // only the exit code matters
	ts.Check(os.WriteFile(ts.MkAbs("stdout"), stdout.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("stderr"), stderr.Bytes(), 0o600))
	if got := fmt.Sprint(c.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit %s, want %s\n%s%s", got, args[0], stdout.String(), stderr.String())
	}
	if code := c.ProcessState.ExitCode(); code < cli.ExitInterrupted && !hasHint(stderr.String()) {
		ts.Fatalf("the error does not say what to do next:\n%s", stderr.String())
	}
}

// setVariable sets a variable to a file's text, or the last output: variable NAME FILE,
// variable NAME stdout.
func setVariable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: variable NAME FILE")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}

// setVariableToMatch sets a variable to the only file that a pattern matches: glob NAME PATTERN.
func setVariableToMatch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: glob NAME PATTERN")
	}
	found, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%s matches %q, want one file", args[1], found)
	}
	ts.Setenv(args[0], found[0])
}

// makePrivate lets only the owner read a file: private FILE.
func makePrivate(ts *testscript.TestScript, _ bool, args []string) {
	content := ts.ReadFile(args[0])
	ts.Check(system.WritePrivate(ts.MkAbs(args[0]), []byte(content)))
}

// holdFile opens a file exclusively until release: hold FILE.
func holdFile(ts *testscript.TestScript, _ bool, args []string) {
	release, err := systemtest.Hold(ts.MkAbs(args[0]))
	ts.Check(err)
	release = sync.OnceValue(release)
	ts.Value("server").(*lastServer).release = release
	ts.Defer(func() { _ = release() }) // a failed script may skip it
}

func releaseFile(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Value("server").(*lastServer).release())
}

// forbidWriting prevents later programs of the script, even as root, from creating files
// in a directory on Linux: forbid-writing DIR. chmod undoes it.
func forbidWriting(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: forbid-writing DIR")
	}
	ts.Check(systemtest.ObeyModes())
	dir := ts.MkAbs(args[0])
	ts.Check(os.Chmod(dir, 0o500))
	ts.Defer(func() { _ = os.Chmod(dir, 0o700) }) // a failed script may skip it
}

// untilOutput repeats a command until its output matches a regular expression: until
// REGEXP COMMAND…. The matching output goes to the file stdout.
func untilOutput(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP COMMAND…")
	}
	wanted, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	var out []byte
	for began := time.Now(); time.Since(began) < testTimeout; <-time.After(20 * time.Millisecond) {
		c := exec.CommandContext(context.Background(), path, args[2:]...)
		c.Dir, c.Env = ts.Getenv("WORK"), environ(ts)
		if out, _ = c.Output(); wanted.Match(out) {
			ts.Check(os.WriteFile(ts.MkAbs("stdout"), out, 0o600))
			return
		}
	}
	ts.Fatalf("%q did not come, but\n%s", args[0], out)
}

// exitRace is the race detector's exit code of a process with a race.
const exitRace = 66

// testTimeout limits every wait of a test. Nothing takes that long on the slowest
// machine.
const testTimeout = 3 * time.Minute

// hasHint checks that an error has one line for what happened, and one for what to do. A
// command with everything in its results has neither.
func hasHint(stderr string) bool {
	if strings.Contains(stderr, `"hint":null`) {
		return false
	}
	at := strings.LastIndex("\n"+stderr, "\nativa: ")
	return at < 0 || strings.Count(stderr[at:], "\n") == 2
}

func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"HOME", "PATH", "LANG", "LC_ALL", "WORK", "ATIVA_SERVER", "ATIVA_ACCESS_TOKEN", "ATIVA_TOKEN_FILE", "ATIVA_CONTEXT", "ATIVA_DB", "PAGER",
		"ATIVA_OUTPUT", "ATIVA_COLOR", "ATIVA_TIMEOUT", "ATIVA_PROXY", "ATIVA_LANG", "ATIVA_TZ", "ATIVA_MAX_ASKS", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}
