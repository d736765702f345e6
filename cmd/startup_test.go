package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"ativa/internal/cli"
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
	t.Logf("before main: %d packages, %d bytes, %d objects", packages, bytes, objects)
	if packages < 50 {
		t.Fatalf("only %d packages are traced: has the form of the trace changed?\n%s", packages, out)
	}
	if bytes > mostBytes || objects > mostObjects {
		t.Errorf("before main %d packages allocate %d bytes in %d objects, want at most %.0f and %d: which library was added?",
			packages, bytes, objects, mostBytes, mostObjects)
	}
}

// Help, and a start in Portuguese, cost no more than version in English: only shown texts
// are made and translated.
func TestHelpCostsWhatVersionCosts(t *testing.T) {
	if raceDetector() {
		t.Skip("the race detector allocates, too")
	}
	allocated := func(locale string, args ...string) uint64 {
		least := uint64(math.MaxUint64) // the minimum of several runs
		for range 5 {
			var out bytes.Buffer
			e := &cli.Env{In: &out, Out: &out, Err: &out, Getenv: func(name string) string { return map[string]string{"LANG": locale}[name] }}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			exit := Run(t.Context(), e, args)
			runtime.ReadMemStats(&after)
			if exit != cli.ExitOK || out.Len() == 0 {
				t.Fatalf("%v: exit %d, %q", args, exit, out.String())
			}
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		return least
	}
	version := allocated("C", "version")
	for _, args := range [][]string{
		{"version"}, {"help"}, {"--help"}, {"help", "subscribers", "import"}, {"help", "exit-codes"},
		{"__complete", "provision", "suspend", "--product", ""}, {"__complete", "subscribers", ""},
	} {
		for _, locale := range []string{"C", "pt_BR.UTF-8"} {
			limit := version * 11 / 10
			if len(args) == 3 { // the help of one command has its own flags
				limit = version * 14 / 10
			}
			got := allocated(locale, args...)
			t.Logf("%v, %s: %d bytes", args, locale, got)
			if got > limit {
				t.Errorf("%v in %s allocates %d bytes, want at most %d: version takes %d", args, locale, got, limit, version)
			}
		}
	}
}

// raceDetector reports whether the race detector is on.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
