package domain

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
	"strings"
)

// Brand is how a provider appears to its subscribers, in e-mails and on the
// activation page. The zero value of a field means that there is none.
type Brand struct {
	Provider    ProviderID
	DisplayName string // instead of the provider's name
	Logo        Logo
	Color       Color  // of buttons and links
	Phone       string // of the provider's support, as displayed
}

// NameOr returns the display name, or the name of the provider if there is none.
func (b Brand) NameOr(provider string) string { return cmp.Or(b.DisplayName, provider) }

// Color is a colour as "#rrggbb" in lower case, or empty.
type Color string

// minContrast is the minimum contrast ratio of readable text (WCAG 2.2, 1.4.3).
const minContrast = 4.5

// BrandGround is the background of text and symbols in a brand's colour, where it is not white.
// Dark screens do not use the colour for text.
const BrandGround Color = "#eef2f5"

// ParseColor parses #RRGGBB. It refuses a colour that lacks contrast on BrandGround, where links
// would be hard to see. An empty string is no colour.
func ParseColor(s string) (Color, error) {
	c := Color(strings.ToLower(strings.TrimSpace(s)))
	if c == "" {
		return "", nil
	}
	if _, err := strconv.ParseUint(strings.TrimPrefix(string(c), "#"), 16, 32); err != nil || len(c) != 7 || c[0] != '#' {
		return "", Invalid("color", "#RRGGBB, for example #0b6b44")
	}
	if Contrast(c, BrandGround) < minContrast {
		return "", Invalid("color", "too pale to be read on white: choose a darker one")
	}
	return c, nil
}

// Contrast returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2).
func Contrast(c, other Color) float64 {
	a, b := c.luminance(), other.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

func (c Color) luminance() float64 {
	n, _ := strconv.ParseUint(string(c[1:]), 16, 32)
	var sum float64
	for i, weight := range [...]float64{0.2126, 0.7152, 0.0722} { // of red, green and blue
		v := float64(n>>(16-8*i)&0xff) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += v * weight
	}
	return sum
}

// Logo is a re-encoded image, so that only the pixels of the original file remain.
type Logo []byte

// The media types of a [Logo].
const (
	MediaPNG  = "image/png"
	MediaJPEG = "image/jpeg"
)

// MediaType returns image/png or image/jpeg.
func (l Logo) MediaType() string {
	if bytes.HasPrefix(l, []byte("\xff\xd8")) {
		return MediaJPEG
	}
	return MediaPNG
}
