package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ativa/internal/api"
	"ativa/internal/cli"
	"ativa/internal/render"
)

// writeChart draws a bar for each product on one scale: one mark up to the final number, another
// up to the peak. Only a terminal gets more than ASCII.
func writeChart(e *cli.Env, s render.Screen, all []api.ProductUsage) error {
	const piped, longest, least, gap = 80, 24, 10, 2
	end, peak := "#", "."
	if s.Terminal {
		end, peak = "█", "░"
	}
	names, ends := 0, 0
	most := api.Int(1)
	for _, p := range all {
		names = max(names, min(utf8.RuneCountInString(p.Name), longest))
		ends = max(ends, len(number(p.EnabledAtEnd)+"/"+number(p.PeakEnabled)))
		most = max(most, p.PeakEnabled, p.EnabledAtEnd)
	}
	bar := max(least, cmp.Or(s.Width, piped)-names-ends-2*gap-1)
	var b strings.Builder
	for _, p := range all {
		ended := length(p.EnabledAtEnd, most, bar)
		highest := max(ended, length(p.PeakEnabled, most, bar)) // another server may count differently
		fmt.Fprintf(&b, "%-*s  %-*s  %*s\n", names, cut(render.Sanitise(p.Name), names), bar, strings.Repeat(end, ended)+strings.Repeat(peak, highest-ended),
			ends, number(p.EnabledAtEnd)+"/"+number(p.PeakEnabled))
	}
	fmt.Fprintln(&b, "\n"+e.Text("%s enabled at the end of the period  %s the most at the same time", end, peak))
	_, err := io.WriteString(e.Out, b.String())
	return err
}

// length scales n to a bar that most fills; a non-zero value gets at least one mark.
func length(n, most api.Int, bar int) int {
	if n == 0 {
		return 0
	}
	return max(1, int(n*api.Int(bar)/most))
}

// cut shortens a name to width characters, the last of them ~.
func cut(name string, width int) string {
	if runes := []rune(name); len(runes) > width {
		return string(runes[:width-1]) + "~"
	}
	return name
}
