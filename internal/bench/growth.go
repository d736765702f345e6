//go:build linux

package main

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
func (b *bench) growthTable(out *bytes.Buffer, engine string) {
	var sizes []int
	for _, at := range b.figures.order {
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
	first := b.figures.of(engine, sizes[0])
	line := func(name string, cell func(*series) string) {
		fmt.Fprintf(out, "| %s |", name)
		for _, n := range sizes {
			fmt.Fprintf(out, " %s |", cell(b.figures.of(engine, n)))
		}
		fmt.Fprintln(out)
	}
	for _, work := range first.works {
		if strings.HasPrefix(work, "search, ") && work != allSearches && !strings.Contains(work, "first") {
			continue
		}
		line(work, func(s *series) string {
			text := show(median(s.times[work][program]))
			if share := s.share(work); share > 0 {
				text += fmt.Sprintf(" (%.0f %%)", 100*share)
			}
			return text
		})
	}
	if len(first.times[allSearches][program]) > 0 {
		line(allSearches+", 95 % below", func(s *series) string { return show(quantile(s.times[allSearches][program], 95)) })
	}
	for _, name := range first.names {
		line(name, func(s *series) string { return megabytes(median(s.sizes[name])) })
	}
	for _, rate := range slices.Sorted(maps.Keys(first.rates)) {
		line(rate, func(s *series) string { return fmt.Sprintf("%.0f", median(s.rates[rate])) })
	}
	for _, work := range first.prices {
		line("processor time of one: "+work, func(s *series) string {
			at := s.costs[work]
			return show((median(at["server"]) + median(at["database"])).Round(10 * time.Nanosecond))
		})
	}
}
