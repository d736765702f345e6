package simulation_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
)

// simulate lets the world of a seed live and returns it when it has ended.
func simulate(t *testing.T, seed uint64, days int, fault string) (w *world) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, seed)
	synctest.Test(t, func(t *testing.T) {
		w = newWorld(t, seed, days, fault)
		w.live()
	})
	return w
}

// alone prepares the process for worlds. More than one processor would not make one
// faster; ATIVA_PROCESSORS tries whether its story stays the same.
func alone(t *testing.T) {
	if _, err := os.Stat("/dev/shm"); err == nil { // memory: no disk is waited for
		t.Setenv("TMPDIR", "/dev/shm")
	}
	processors, percent := runtime.GOMAXPROCS(fromEnv(t, "ATIVA_PROCESSORS", 1)), debug.SetGCPercent(300)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
	})
}

// fromEnv returns a number from the environment.
func fromEnv(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no number", variable, text)
	}
	return n
}

// share is a variable for the processes among which the seeds are divided: which one
// it is, counted from 1.
const share = "ATIVA_SEEDS_SHARE"

// Whole worlds keep every promise (docs/reliability.md). ATIVA_SEEDS is how many (2),
// ATIVA_SEED the only one, whose story is told.
func TestWorldsKeepEveryPromise(t *testing.T) {
	seeds, processes := fromEnv(t, "ATIVA_SEEDS", 2), runtime.NumCPU()
	only, mine := fromEnv(t, "ATIVA_SEED", 0), fromEnv(t, share, 0)
	switch {
	case only > 0:
		keepsEveryPromise(t, only, only, 1)
	case mine > 0:
		keepsEveryPromise(t, mine, seeds, processes)
	case seeds < 10:
		keepsEveryPromise(t, 1, seeds, 1)
	default:
		divide(t, processes)
	}
}

// divide lets a process for each processor live through its share of the worlds.
func divide(t *testing.T, processes int) {
	var group sync.WaitGroup
	for n := range processes {
		group.Go(func() {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWorldsKeepEveryPromise$", "-test.v", "-test.timeout=0")
			c.Env = append(os.Environ(), fmt.Sprint(share, "=", 1+n), "GODEBUG=adaptivestackstart=1") // stacks of goroutines are rarely copied
			out, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			t.Log(string(regexp.MustCompile(`(?m)^.* worlds, .*$`).Find(out)))
		})
	}
	group.Wait()
}

// keepsEveryPromise lives through the worlds of the seeds from first to last, of which
// it takes one in step.
func keepsEveryPromise(t *testing.T, first, last, step int) {
	alone(t)
	var worlds, events, kills int
	for seed := first; seed <= last; seed += step {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			w := simulate(t, uint64(seed), 6, "")
			worlds, events, kills = worlds+1, events+len(w.story), kills+w.kills
			for _, name := range slices.Sorted(maps.Keys(w.violated)) {
				t.Errorf("%s: %s", name, w.violated[name])
			}
			if t.Failed() || first == last {
				t.Logf("the story of ATIVA_SEED=%d:\n%s", seed, strings.Join(w.told(), "\n"))
			}
		})
	}
	t.Logf("%d worlds, %d entries of their stories, %d kills", worlds, events, kills)
}

// Each planted fault is found within a few worlds, by an invariant that is about it.
func TestEveryPlantedFaultIsFound(t *testing.T) {
	alone(t)
	for fault, by := range planted() {
		t.Run(fault, func(t *testing.T) {
			for seed := range uint64(24) {
				w := simulate(t, seed+1, 1, fault)
				for _, name := range by {
					if w.violated[name] != "" {
						t.Logf("found in world %d: %s: %s", seed+1, name, w.violated[name])
						return
					}
				}
				t.Logf("world %d: %v", seed+1, w.violated)
			}
			t.Errorf("it was not found by %q", by)
		})
	}
}

// A seed is repeated to the nanosecond, on one processor and on several. On several a
// server may look for work once more, when two of its goroutines come at one instant: of
// about 100 weeks one then goes another way, so a difference is tried three times.
func TestASeedHasOneStory(t *testing.T) {
	alone(t)
	for _, seed := range []uint64{1, 2, 3} {
		first := simulate(t, seed, 1, "").told()
		for _, processors := range []int{1, 3, 8} {
			runtime.GOMAXPROCS(processors)
			story := simulate(t, seed, 1, "").told()
			for range 2 {
				if !slices.Equal(story, first) { // either may be the one that went another way
					first, story = simulate(t, seed, 1, "").told(), simulate(t, seed, 1, "").told()
				}
			}
			if !slices.Equal(story, first) {
				t.Errorf("%d processors tell another story of seed %d:\n%s\nand one:\n%s", processors, seed, strings.Join(story, "\n"), strings.Join(first, "\n"))
			}
			runtime.GOMAXPROCS(1)
		}
	}
}
