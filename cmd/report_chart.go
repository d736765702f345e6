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

// usageChart draws a bar for each product: full up to the number enabled at the end of the period,
// then up to the peak.
type usageChart struct {
	width      int
	full, rest string // characters of a bar
}

// chartOf returns a chart for a screen, in ASCII unless it is a terminal that shows Unicode.
func chartOf(s render.Screen, getenv func(string) string) usageChart {
	const usual = 80
	c := usageChart{width: usual, full: "#", rest: "."}
	if s.Terminal {
		c.width = s.Width
		if showsUnicode(getenv) {
			c.full, c.rest = "█", "░"
		}
	}
	return c
}

// showsUnicode reports whether the locale of a terminal is UTF-8.
func showsUnicode(getenv func(string) string) bool {
	if getenv("TERM") == "dumb" {
		return false
	}
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LANG")))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// write draws the bars on one scale.
func (c usageChart) write(e *cli.Env, all []api.ProductUsage) error {
	const longest, least, gap = 24, 10, 2
	names, ends := 0, 0
	most := api.Int(1)
	for _, p := range all {
		names = max(names, min(utf8.RuneCountInString(p.Name), longest))
		ends = max(ends, len(number(p.EnabledAtEnd)+"/"+number(p.PeakEnabled)))
		most = max(most, p.PeakEnabled)
	}
	bar := max(least, c.width-names-ends-2*gap-1)
	var b strings.Builder
	for _, p := range all {
		full, peak := length(p.EnabledAtEnd, most, bar), length(p.PeakEnabled, most, bar)
		fmt.Fprintf(&b, "%-*s  %-*s  %*s\n", names, cut(render.Sanitise(p.Name), names), bar, strings.Repeat(c.full, full)+strings.Repeat(c.rest, peak-full),
			ends, number(p.EnabledAtEnd)+"/"+number(p.PeakEnabled))
	}
	if len(all) > 0 {
		fmt.Fprintln(&b, "\n"+e.Text("%s enabled at the end of the period  %s the most at the same time", c.full, c.rest))
	}
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
