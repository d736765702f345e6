package trials_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// gauge is a quantity that must not grow while the load is the same.
type gauge struct {
	name, unit string
	floor      float64 // growth up to this value is ignored, for example during a garbage collection or a burst
	at         []time.Duration
	values     []float64
}

func (g *gauge) add(at time.Duration, value float64) {
	g.at, g.values = append(g.at, at), append(g.values, value)
}

// growthAllowed is the maximum ratio of the last figure to the first.
const growthAllowed = 1.15

// growth returns the medians of the last sixth of the time and of the sixth after the warm-up, the
// first third: garbage collectors, write-ahead logs and vacuums make single values vary.
func (g *gauge) growth() (before, after float64) {
	if len(g.at) == 0 {
		return 0, 0
	}
	end := g.at[len(g.at)-1]
	return g.median(end/3, end/2), g.median(end*5/6, end)
}

func (g *gauge) grew() bool {
	before, after := g.growth()
	return after > g.floor && after > before*growthAllowed
}

func (g *gauge) median(from, to time.Duration) float64 {
	var v []float64
	for i, at := range g.at {
		if at >= from && at <= to {
			v = append(v, g.values[i])
		}
	}
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}

func (g *gauge) String() string {
	before, after := g.growth()
	verdict := "flat"
	if g.grew() {
		verdict = "GREW"
	}
	return fmt.Sprintf("%-28s %12.1f → %12.1f %-6s  %s", g.name, before, after, g.unit, verdict)
}

func TestGrowthIsNoticed(t *testing.T) {
	for name, c := range map[string]struct {
		value func(i int) float64
		grew  bool
	}{
		"the same":                   {func(int) float64 { return 100 }, false},
		"warming up":                 {func(i int) float64 { return float64(min(i, 30)) }, false},
		"up and down":                {func(i int) float64 { return float64(50 + i%10*10) }, false},
		"a little more all the time": {func(i int) float64 { return 100 + float64(i) }, true},
		"up and down, and more":      {func(i int) float64 { return float64(100 + i%10*10 + i) }, true},
		"a leap at the end":          {func(i int) float64 { return float64(100 + i/95*100) }, true},
		"more, but little":           {func(i int) float64 { return float64(i) / 20 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := gauge{name: name, floor: 10}
			for i := range 120 {
				g.add(time.Duration(i)*time.Second, c.value(i))
			}
			if g.grew() != c.grew {
				t.Errorf("grew is %t: %s", g.grew(), &g)
			}
		})
	}
}
