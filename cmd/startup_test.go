package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"ativa/internal/processtest"
)

// The cost of a start is counted here, the same on any machine; its time is measured by
// go run ./internal/bench -only start.

// built builds a program of this module like a release.
func built(t *testing.T, name, source string) string {
	t.Helper()
	path, err := processtest.Build(name, source)
	must(t, err)
	return path
}

// putInPath makes tests start the built program instead of the test binary, which starts
// three times slower.
func putInPath() (remove func(), err error) {
	watched, err := exec.LookPath("ativa") // the test binary
	if err != nil {
		return nil, err
	}
	dir, err := processtest.PutInPath("..")
	remove = func() { os.RemoveAll(dir) }
	if err != nil || !raceDetector() {
		return remove, err
	}
	program, unwatched := filepath.Join(dir, "ativa"), filepath.Join(dir, "unwatched")
	return remove, errors.Join(os.Rename(program, unwatched), os.WriteFile(program, fmt.Appendf(nil, watchedCommands, watched, unwatched), 0o700))
}

// watchedCommands starts the test binary (the first path), which has the race detector
// and starts seven times slower, except for sequential commands. Tests in their own
// process check these for races. A process does not wait a second for more races at its
// end.
const watchedCommands = `#!/bin/sh
case "$*" in
*--wait*|*--follow*|*"--context all"*) ;;
version*|help*|--help*|"__complete"*|completion*|config*|context*|auth*|login*|logout*|products*|status*|doctor*|api*|explain*|\
"imports list"*|"imports show"*|"imports purge"*|\
"subscribers "[!ier]*|"subscribers explain"*|"report "*|\
"admin "[!cbdm]*|"admin callbacks"*|"admin deliveries"*) exec "%[2]s" "$@";;
esac
GORACE="atexit_sleep_ms=0 $GORACE" exec "%[1]s" "$@"
`

// Initialisation of packages allocates few bytes and objects. Ours have next to none. Maps grow by
// a random seed, so the same program allocates some dozen objects more or less from start to start;
// a library that does real work allocates hundreds.
func TestLittleIsDoneBeforeMain(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	const mostBytes, mostObjects, mostOfOurs = 640e3, 4900, 8e3
	c := exec.Command(built(t, "ativa", ".."), "version")
	c.Env = []string{"HOME=" + t.TempDir(), "GODEBUG=inittrace=1"}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	packages, bytes, objects := 0, 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`).FindAllStringSubmatch(string(out), -1) {
		var b, n int
		if _, err := fmt.Sscan(m[2]+" "+m[3], &b, &n); err != nil {
			t.Fatal(err)
		}
		packages, bytes, objects = packages+1, bytes+b, objects+n
		if strings.HasPrefix(m[1], "ativa/") && b > mostOfOurs {
			t.Errorf("%s allocates %d bytes before main, want at most %.0f", m[1], b, mostOfOurs)
		}
	}
	if packages < 50 {
		t.Fatalf("only %d packages are traced: has the form of the trace changed?\n%s", packages, out)
	}
	if bytes > mostBytes || objects > mostObjects {
		t.Errorf("before main %d packages allocate %d bytes in %d objects, want at most %.0f and %d: which library was added?",
			packages, bytes, objects, mostBytes, mostObjects)
	}
}

// raceDetector reports whether the race detector is on.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
