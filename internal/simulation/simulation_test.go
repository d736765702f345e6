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

	"ativa/internal/processtest"
)

// simulate runs the simulation of a seed and returns it at its end.
func simulate(t *testing.T, seed uint64, days int, fault string) (w *week) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, seed)
	synctest.Test(t, func(t *testing.T) {
		w = newWeek(t, seed, days, fault)
		w.run()
	})
	return w
}

// prepare prepares the process for simulations. More processors would not make them faster;
// ATIVA_PROCESSORS tests whether the trace stays the same.
func prepare(t *testing.T) {
	if _, err := os.Stat("/dev/shm"); err == nil { // in memory, not to wait for a disk
		t.Setenv("TMPDIR", "/dev/shm")
	}
	processors, percent := runtime.GOMAXPROCS(processtest.FromEnv(t, "ATIVA_PROCESSORS", 1)), debug.SetGCPercent(300)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
	})
}

// share is the variable with the number of the process, from 1, among those that divide the seeds.
const share = "ATIVA_SEEDS_SHARE"

// Simulated weeks keep every guarantee (docs/reliability.md). ATIVA_SEEDS is the number of seeds (2),
// ATIVA_SEED a single one, whose trace is logged.
func TestWeeksKeepEveryInvariant(t *testing.T) {
	seeds, processes := processtest.FromEnv(t, "ATIVA_SEEDS", 2), runtime.NumCPU()
	only, mine := processtest.FromEnv(t, "ATIVA_SEED", 0), processtest.FromEnv(t, share, 0)
	switch {
	case only > 0:
		keepsEveryInvariant(t, only, only, 1)
	case mine > 0:
		keepsEveryInvariant(t, mine, seeds, processes)
	case seeds < 10:
		keepsEveryInvariant(t, 1, seeds, 1)
	default:
		divide(t, processes)
	}
}

// divide runs a process for each processor, each with its share of the seeds.
func divide(t *testing.T, processes int) {
	var group sync.WaitGroup
	for n := range processes {
		group.Go(func() {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWeeksKeepEveryInvariant$", "-test.v", "-test.timeout=0")
			c.Env = append(os.Environ(), fmt.Sprint(share, "=", 1+n), "GODEBUG=adaptivestackstart=1") // stacks of goroutines are rarely copied
			out, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			t.Log(string(regexp.MustCompile(`(?m)^.* weeks, .*$`).Find(out)))
		})
	}
	group.Wait()
}

// keepsEveryInvariant runs every step-th simulation of the seeds from first to last.
func keepsEveryInvariant(t *testing.T, first, last, step int) {
	prepare(t)
	var weeks, events, kills, shared int
	for seed := first; seed <= last; seed += step {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			w := simulate(t, uint64(seed), 6, "")
			weeks, events, kills, shared = weeks+1, events+len(w.entries), kills+w.kills, shared+w.shared
			for _, name := range slices.Sorted(maps.Keys(w.violated)) {
				t.Errorf("%s: %s", name, w.violated[name])
			}
			if t.Failed() || first == last {
				t.Logf("the trace of ATIVA_SEED=%d:\n%s", seed, strings.Join(w.trace(), "\n"))
			}
		})
	}
	t.Logf("%d weeks, %d trace entries, %d kills, %d writes in the transaction of another", weeks, events, kills, shared)
	if shared == 0 && weeks > 1 {
		t.Error("no two writes shared a transaction")
	}
}

// Each planted fault is found within 100 seeds, most in the first few, by an invariant about it.
func TestEveryPlantedFaultIsFound(t *testing.T) {
	prepare(t)
	for fault, by := range planted() {
		t.Run(fault, func(t *testing.T) {
			for seed := range uint64(100) {
				w := simulate(t, seed+1, 1, fault)
				for _, name := range by {
					if w.violated[name] != "" {
						t.Logf("found in week %d: %s: %s", seed+1, name, w.violated[name])
						return
					}
				}
				t.Logf("seed %d: %v", seed+1, w.violated)
			}
			t.Errorf("it was not found by %q", by)
		})
	}
}

// A seed has the same trace to the nanosecond, on one processor and on several.
func TestASeedHasOneTrace(t *testing.T) {
	prepare(t)
	for seed := range uint64(10) {
		first := simulate(t, seed+1, 1, "").trace()
		runtime.GOMAXPROCS(1 + int(seed)%8)
		trace := simulate(t, seed+1, 1, "").trace()
		runtime.GOMAXPROCS(1)
		if !slices.Equal(trace, first) {
			t.Errorf("%d processors have another trace of seed %d:\n%s\nand one:\n%s", 1+seed%8, seed+1, strings.Join(trace, "\n"), strings.Join(first, "\n"))
		}
	}
}
