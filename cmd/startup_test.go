package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// built builds a program of this module as releases are.
func built(tb testing.TB, name, source string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return path
}

// lines of the command line whose start is measured.
func starts() map[string][]string {
	return map[string][]string{"version": {"version"}, "help": {"help"}, "complete": {"__complete", "provision", "suspend", "--product", ""}}
}

// cpu is what a run of a program costs, user and system.
func cpu(tb testing.TB, home, path string, args ...string) time.Duration {
	tb.Helper()
	c := exec.Command(path, args...)
	c.Env = []string{"HOME=" + home}
	if out, err := c.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %v: %s", args, err, out)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// BenchmarkStartUp compares the start of commands with a bare program of the
// same library: go test ./cmd -run '^$' -bench StartUp
func BenchmarkStartUp(b *testing.B) {
	home, ativa, bare := b.TempDir(), built(b, "ativa", ".."), built(b, "bare", "./testdata/bare")
	for name, args := range starts() {
		b.Run(name, func(b *testing.B) {
			var ours, theirs time.Duration
			for b.Loop() { // in turns, so that both meet the same machine
				ours += cpu(b, home, ativa, args...)
				theirs += cpu(b, home, bare, "version")
			}
			b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(ours)/float64(theirs), "x-bare")
		})
	}
}

// TestStartUp looks at a program that is built once.
func TestStartUp(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	ativa := built(t, "ativa", "..")
	t.Run("stays cheap", func(t *testing.T) { startsCheaply(t, ativa, built(t, "bare", "./testdata/bare")) })
	t.Run("takes little memory", func(t *testing.T) { takesLittleMemory(t, ativa) })
	t.Run("does nothing before main", func(t *testing.T) { doesNothingBeforeMain(t, ativa) })
}

// startsCheaply compares the best of many runs, which a busy machine disturbs
// least. The budget is three times a bare program; the limit leaves room for
// what a busy machine does to the caches.
func startsCheaply(t *testing.T, ativa, bare string) {
	home := t.TempDir()
	for name, args := range starts() {
		const runs, limit = 40, 3.5
		ours, theirs := time.Hour, time.Hour
		for range runs {
			ours, theirs = min(ours, cpu(t, home, ativa, args...)), min(theirs, cpu(t, home, bare, "version"))
		}
		ratio := float64(ours) / float64(theirs)
		t.Logf("%s: %v, bare %v: %.1f times", name, ours, theirs, ratio)
		if ratio > limit {
			t.Errorf("%s takes %.1f times the CPU of a bare program (%v, %v), want at most 3", name, ratio, ours, theirs)
		}
	}
}

// takesLittleMemory wants at most 20 MB for each start.
func takesLittleMemory(t *testing.T, ativa string) {
	if runtime.GOOS != "linux" {
		t.Skip("how much memory a command had is not known here")
	}
	resident := built(t, "resident", "./testdata/resident")
	for name, args := range starts() {
		c := exec.Command(resident, append([]string{ativa}, args...)...)
		c.Env = []string{"HOME=" + t.TempDir()}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		most, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		t.Logf("%s: %.1f MB", name, most/1e6)
		if err != nil || most > 20e6 || most < 1e6 {
			t.Errorf("%s takes %v bytes of memory (%v), want at most 20 MB", name, most, err)
		}
	}
}

// doesNothingBeforeMain looks at the work of package initialisation: none of
// our packages has any, and none of the libraries takes a millisecond.
func doesNothingBeforeMain(t *testing.T, ativa string) {
	line := regexp.MustCompile(`^init (\S+) @\S+ ms, (\S+) ms clock`)
	best := map[string]float64{}
	for range 7 {
		c := exec.Command(ativa, "version")
		c.Env = []string{"HOME=" + t.TempDir(), "GODEBUG=inittrace=1"}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for l := range strings.Lines(string(out)) {
			if m := line.FindStringSubmatch(l); m != nil {
				took, err := strconv.ParseFloat(m[2], 64)
				if err != nil {
					t.Fatal(err)
				}
				if before, seen := best[m[1]]; !seen || took < before {
					best[m[1]] = took
				}
			}
		}
	}
	if len(best) < 10 {
		t.Fatalf("only %d packages are traced: has the form of the trace changed?", len(best))
	}
	for name, took := range best {
		if strings.HasPrefix(name, "ativa") && took > 0.05 {
			t.Errorf("%s does %v ms of work before main", name, took)
		}
		if took > 1 {
			t.Errorf("%s takes %v ms before main, want at most 1", name, took)
		}
	}
}
