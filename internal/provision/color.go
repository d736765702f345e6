package provision

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Color is a colour as "#rrggbb" in lower case, or empty.
type Color string

// minContrast is the contrast that text needs to be read (WCAG 2.2, 1.4.3).
const minContrast = 4.5

// Paper is what a brand's colour stands on.
type Paper Color

// The papers of a page by day and by night.
const (
	LightPaper Paper = "#ffffff"
	DarkPaper  Paper = "#17212a"
)

// Tint returns the paper with a touch of the colour, as a ground for text in it.
func (p Paper) Tint(c Color) Color { return Color(p).mix(c, 0.1) }

// ParseColor reads #RRGGBB and refuses a colour that cannot be read on light paper
// and its tint, where buttons and links would be hard to see. Empty is no colour.
func ParseColor(s string) (Color, error) {
	c := Color(strings.ToLower(strings.TrimSpace(s)))
	if c == "" {
		return "", nil
	}
	if _, err := strconv.ParseUint(strings.TrimPrefix(string(c), "#"), 16, 32); err != nil || len(c) != 7 || c[0] != '#' {
		return "", invalid("color", "#RRGGBB, for example #0b6b44")
	}
	if !c.readableOn(LightPaper) {
		return "", invalid("color", "too pale to be read on white: choose a darker one")
	}
	return c, nil
}

// Dark returns the colour in which the brand can be read on dark paper.
func (c Color) Dark() Color { return c.readable(Color(LightPaper), DarkPaper) }

// readableOn reports whether text in the colour can be read on the paper's tint,
// on which it has less contrast than on the paper itself.
func (c Color) readableOn(p Paper) bool { return Contrast(c, p.Tint(c)) >= minContrast }

// readable mixes the colour with another until it can be read on the paper.
func (c Color) readable(other Color, p Paper) Color {
	mixed := c
	for share := 0.05; !mixed.readableOn(p) && share <= 1; share += 0.05 {
		mixed = c.mix(other, share)
	}
	return mixed
}

// mix returns the colour with the given share of another, from 0 to 1.
func (c Color) mix(other Color, share float64) Color {
	a, b := c.channels(), other.channels()
	for i := range a {
		a[i] += (b[i] - a[i]) * share
	}
	return Color(fmt.Sprintf("#%02x%02x%02x", int(math.Round(a[0])), int(math.Round(a[1])), int(math.Round(a[2]))))
}

// channels are red, green and blue from 0 to 255.
func (c Color) channels() (rgb [3]float64) {
	n, _ := strconv.ParseUint(string(c[1:]), 16, 32)
	return [3]float64{float64(n >> 16), float64(n >> 8 & 0xff), float64(n & 0xff)}
}

// Contrast returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2).
func Contrast(c, other Color) float64 {
	a, b := c.luminance(), other.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c Color) luminance() float64 {
	var sum float64
	for i, v := range c.channels() {
		v /= 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += v * [3]float64{0.2126, 0.7152, 0.0722}[i]
	}
	return sum
}
