package cmd

import (
	"errors"
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

// exitsWith runs a command and checks its exit code: exits 2 ativa subscribers.
func exitsWith(ts *testscript.TestScript, _ bool, args []string) {
	got := 0
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit %d, want %s", got, args[0])
	}
	if got < cli.ExitInterrupted && !hasHint(ts.ReadFile("stderr")) {
		ts.Fatalf("the error does not say what to do next")
	}
}

// setVariable sets a variable to a file's text, or the last output: variable NAME FILE,
// variable NAME stdout.
func setVariable(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}

// setVariableToMatch sets a variable to the only file that a pattern matches: glob NAME PATTERN.
func setVariableToMatch(ts *testscript.TestScript, _ bool, args []string) {
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
func forbidWriting(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(systemtest.ObeyModes())
	dir := ts.MkAbs(args[0])
	ts.Check(os.Chmod(dir, 0o500))
	ts.Defer(func() { _ = os.Chmod(dir, 0o700) }) // a failed script may skip it
}

// untilOutput repeats a command until its output matches a regular expression: until
// REGEXP COMMAND….
func untilOutput(ts *testscript.TestScript, _ bool, args []string) {
	wanted, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	eventually(scriptTB{ts}, fmt.Sprintf("%q", args[0]), func() bool {
		_ = ts.Exec(args[1], args[2:]...) // only the output matters
		return wanted.MatchString(ts.ReadFile("stdout"))
	})
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
