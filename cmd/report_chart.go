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

// usageChart is a bar for each product: how many were enabled at the end of the
// period, and up to where the most at the same time.
type usageChart struct {
	width      int
	full, rest string // what a bar is drawn with
}

// chartOf is a chart for a screen, of plain ASCII where it may show nothing else.
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

// showsUnicode reports whether a terminal shows characters beyond ASCII, as its
// locale says.
func showsUnicode(getenv func(string) string) bool {
	if getenv("TERM") == "dumb" {
		return false
	}
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LANG")))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// write draws the bars to one scale.
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

// length is that of a bar for n of most; what there is at all is seen.
func length(n, most api.Int, bar int) int {
	if n == 0 {
		return 0
	}
	return max(1, int(n*api.Int(bar)/most))
}

// cut cuts a name to a width.
func cut(name string, width int) string {
	if runes := []rune(name); len(runes) > width {
		return string(runes[:width-1]) + "~"
	}
	return name
}
