package figures

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// growthTable shows how the works of one engine grow with the number of
// subscribers: time, and the share of the floor behind it.
func (r *Run) growthTable(out *bytes.Buffer, engine string) {
	var sizes []int
	for _, at := range r.order {
		if at.engine == engine && at.rows > 0 {
			sizes = append(sizes, at.rows)
		}
	}
	if len(sizes) == 0 {
		return
	}
	slices.Sort(sizes)
	fmt.Fprintf(out, "\n## Growth on %s\n\nOne turn each; the share of the floor stands in brackets.\n\n| subscribers |", engine)
	for _, n := range sizes {
		fmt.Fprintf(out, " %d |", n)
	}
	fmt.Fprintf(out, "\n|---|%s\n", strings.Repeat("---:|", len(sizes)))
	first := r.Of(engine, sizes[0])
	line := func(name string, cell func(*Series) string) {
		fmt.Fprintf(out, "| %s |", name)
		for _, n := range sizes {
			fmt.Fprintf(out, " %s |", cell(r.Of(engine, n)))
		}
		fmt.Fprintln(out)
	}
	for _, work := range first.works {
		if strings.HasPrefix(work, "search, ") && work != AllSearches && !strings.Contains(work, "first") {
			continue
		}
		line(work, func(s *Series) string {
			text := show(median(s.times[work][Program]))
			if share := s.share(work); share > 0 {
				text += fmt.Sprintf(" (%.0f %%)", 100*share)
			}
			return text
		})
	}
	if len(first.times[AllSearches][Program]) > 0 {
		line(AllSearches+", 95 % below", func(s *Series) string { return show(Quantile(s.times[AllSearches][Program], 95)) })
	}
	for _, name := range first.names {
		line(name, func(s *Series) string { return megabytes(median(s.sizes[name])) })
	}
	for _, rate := range slices.Sorted(maps.Keys(first.rates)) {
		line(rate, func(s *Series) string { return fmt.Sprintf("%.0f", median(s.rates[rate])) })
	}
	for _, work := range first.prices {
		line("processor time of one: "+work, func(s *Series) string {
			at := s.costs[work]
			return show((median(at[Server]) + median(at[Database])).Round(10 * time.Nanosecond))
		})
	}
}
