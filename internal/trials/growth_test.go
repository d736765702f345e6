package trials_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// gauge is a quantity, sampled at regular times, that must not grow.
type gauge struct {
	name, unit string
	floor      float64 // growth up to this value is ignored, for example during a garbage collection or a burst
	values     []float64
	// loads has the load at each value of a quantity that follows it; nil for any other. A machine that
	// becomes free carries more.
	loads []float64
}

// growthAllowed is the maximum ratio of the last figure to the first.
const growthAllowed = 1.15

// growth returns the medians of the last sixth of the time and of the sixth after the warm-up, the
// first third: garbage collectors, write-ahead logs and vacuums make single values vary.
func (g *gauge) growth() (before, after float64, grew bool) {
	before, after = ends(g.values)
	allowed := before * growthAllowed
	if g.loads != nil {
		low, high := ends(g.loads)
		allowed *= high / low
	}
	return before, after, after > g.floor && after > allowed
}

func ends(values []float64) (before, after float64) {
	n := len(values)
	return median(values[n/3 : n/2+1]), median(values[n*5/6:])
}

func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

func (g *gauge) String() string {
	before, after, grew := g.growth()
	verdict := map[bool]string{true: "GREW", false: "flat"}[grew]
	if g.loads != nil {
		low, high := ends(g.loads)
		verdict += fmt.Sprintf(", the load %.0f → %.0f calls", low, high)
	}
	return fmt.Sprintf("%-28s %12.1f → %12.1f %-6s  %s", g.name, before, after, g.unit, verdict)
}

// Neither warming up nor going up and down is growth, but a slope is, above the floor, unless the load has it.
func TestGrowthIsNoticed(t *testing.T) {
	for slope, want := range map[float64]bool{0: false, 0.05: false, 1: true} {
		for _, wave := range []int{0, 1} {
			g := gauge{name: fmt.Sprint("slope ", slope), floor: 10}
			for i := range 120 {
				g.values = append(g.values, float64(wave*(min(i, 30)+i%10*2))+slope*float64(i))
			}
			if _, _, grew := g.growth(); grew != want {
				t.Error(&g)
			}
			if g.loads = g.values; strings.Contains(g.String(), "GREW") {
				t.Error("with the load:", &g)
			}
		}
	}
}
