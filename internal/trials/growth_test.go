package trials_test

import (
	"fmt"
	"slices"
	"testing"
)

// gauge is a quantity, sampled at regular times, that must not grow while the load is the same.
type gauge struct {
	name, unit string
	floor      float64 // growth up to this value is ignored, for example during a garbage collection or a burst
	values     []float64
}

// growthAllowed is the maximum ratio of the last figure to the first.
const growthAllowed = 1.15

// growth returns the medians of the last sixth of the time and of the sixth after the warm-up, the
// first third: garbage collectors, write-ahead logs and vacuums make single values vary.
func (g *gauge) growth() (before, after float64, grew bool) {
	n := len(g.values)
	before, after = median(g.values[n/3:n/2+1]), median(g.values[n*5/6:])
	return before, after, after > g.floor && after > before*growthAllowed
}

func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }

func (g *gauge) String() string {
	before, after, grew := g.growth()
	verdict := map[bool]string{true: "GREW", false: "flat"}[grew]
	return fmt.Sprintf("%-28s %12.1f → %12.1f %-6s  %s", g.name, before, after, g.unit, verdict)
}

// Neither warming up nor going up and down is growth, but a slope is, above the floor.
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
		}
	}
}
