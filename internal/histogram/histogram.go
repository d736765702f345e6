// Package histogram counts durations in classic Prometheus histograms (`le`), from which quantiles
// can be computed across servers. The metrics library has them only in versions that read files of
// control groups at every start of the program, 0.15 ms. It decides the buckets and does
// not know the measured operation.
package histogram

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Family is the histograms with one name, one per set of labels. It is safe for concurrent use.
type Family struct {
	name   string
	bounds []float64 // upper bounds of the buckets in seconds

	mu  sync.Mutex
	all map[string]*histogram // by labels
}

// histogram is guarded by the mutex of its family.
type histogram struct {
	buckets []uint64 // counts per bucket, not cumulative
	sum     float64
}

// New returns an empty family for durations from a read in memory to a delivery that is given up,
// or a response that waits for an event. name must end in _seconds.
func New(name string) *Family {
	return newFamily(name, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, math.Inf(1))
}

// NewAges is like New, for durations from seconds to days.
func NewAges(name string) *Family {
	const minute, hour, day = 60, 3600, 24 * 3600
	return newFamily(name, 1, 5, 10, 30, minute, 5*minute, 30*minute, hour, 4*hour, 12*hour, day, 2*day, 4*day, math.Inf(1))
}

func newFamily(name string, bounds ...float64) *Family {
	return &Family{name: name, bounds: bounds, all: map[string]*histogram{}}
}

// Quote returns the value of a label in quotes. Unlike strconv.Quote it escapes only what the text
// format allows to be escaped: a scraper may reject all metrics because of an escaped no-break
// space in a name.
func Quote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value) + `"`
}

// Observe counts one duration. labels is the text between the braces, such as `kind="email"`, and
// must not be empty.
func (f *Family) Observe(labels string, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.all[labels]
	if h == nil {
		h = &histogram{buckets: make([]uint64, len(f.bounds))}
		f.all[labels] = h
	}
	place, _ := slices.BinarySearch(f.bounds, took.Seconds())
	h.buckets[place]++
	h.sum += took.Seconds()
}

// WritePrometheus writes the family in the Prometheus text format. It writes nothing before the
// first duration is counted.
func (f *Family) WritePrometheus(w io.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.all) > 0 {
		fmt.Fprintf(w, "# HELP %s\n# TYPE %s histogram\n", f.name, f.name)
	}
	for _, labels := range slices.Sorted(maps.Keys(f.all)) {
		h := f.all[labels]
		total := uint64(0)
		for i, bound := range f.bounds {
			total += h.buckets[i]
			fmt.Fprintf(w, "%s_bucket{%s,le=\"%s\"} %d\n", f.name, labels, strconv.FormatFloat(bound, 'g', -1, 64), total)
		}
		fmt.Fprintf(w, "%s_sum{%s} %g\n%s_count{%s} %d\n", f.name, labels, h.sum, f.name, labels, total)
	}
}
