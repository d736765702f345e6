package rules

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ativa/internal/cpf"
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

// BrandChange holds the changes to a brand; unset parts stay. An empty text or logo removes the
// part.
type BrandChange struct {
	DisplayName, Color, Phone Optional[string]
	Logo                      []byte // a PNG or JPEG image; nil: unchanged
}

// NameOr returns the display name, or the name of the provider if there is none.
func (b Brand) NameOr(provider string) string { return cmp.Or(b.DisplayName, provider) }

// Brand returns the brand of the provider with the name.
func (r *Registry) Brand(ctx context.Context, name string) (Brand, error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return Brand{}, err
	}
	all, err := r.store.Brands(ctx, []ProviderID{p.ID})
	b := all[p.ID]
	b.Provider = p.ID
	return b, err
}

// SetBrand changes parts of a provider's brand and returns the complete brand.
func (r *Registry) SetBrand(ctx context.Context, name string, c BrandChange) (Brand, error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return Brand{}, err
	}
	to, err := c.brand()
	if err != nil {
		return Brand{}, err
	}
	return r.store.UpdateBrand(ctx, p.ID, func(b *Brand) {
		if c.DisplayName.Set {
			b.DisplayName = to.DisplayName
		}
		if c.Phone.Set {
			b.Phone = to.Phone
		}
		if c.Color.Set {
			b.Color = to.Color
		}
		if c.Logo != nil {
			b.Logo = to.Logo
		}
	})
}

// brand validates the changes and returns them as a Brand.
func (c BrandChange) brand() (b Brand, err error) {
	b.DisplayName, b.Phone = strings.TrimSpace(c.DisplayName.Value), strings.TrimSpace(c.Phone.Value)
	if b.DisplayName != "" {
		err = firstInvalid(invalidName(b.DisplayName))
	}
	if err == nil {
		err = firstInvalid(invalidSupportPhone(b.Phone))
	}
	if err == nil {
		b.Color, err = ParseColor(c.Color.Value)
	}
	if err == nil {
		b.Logo, err = newLogo(c.Logo)
	}
	return b, err
}

// invalidSupportPhone validates a phone number for display. Unlike a subscriber's number it may be
// short or toll-free, such as 10315 or 0800 123 4567.
func invalidSupportPhone(s string) *Error {
	if s == "" {
		return nil
	}
	digits := cpf.OnlyDigits(s)
	if strings.Trim(s, "0123456789+()-. ") != "" || len(digits) < 3 || len(digits) > 15 || utf8.RuneCountInString(s) > 30 {
		return invalid("phone", "3 to 15 digits, with spaces, +, ( ), - and . as they are to be shown")
	}
	return nil
}

func (q *Queue) addBrands(ctx context.Context, deliveries []ClaimedDelivery) error {
	ids := map[ProviderID]bool{}
	for i := range deliveries {
		ids[deliveries[i].Provider.ID] = true
	}
	all, err := q.store.Brands(ctx, slices.Sorted(maps.Keys(ids)))
	for i := range deliveries {
		deliveries[i].Brand = all[deliveries[i].Provider.ID]
	}
	return err
}

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
		return "", invalid("color", "#RRGGBB, for example #0b6b44")
	}
	if Contrast(c, BrandGround) < minContrast {
		return "", invalid("color", "too pale to be read on white: choose a darker one")
	}
	return c, nil
}

// channels returns red, green and blue, from 0 to 255.
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

// Logo is an image as re-encoded by newLogo, so that only the pixels of the original file remain.
type Logo []byte

// Limits of a logo, which every e-mail contains.
const (
	maxLogoBytes = 100_000
	maxLogoSide  = 1200 // pixels
)

// newLogo decodes and re-encodes a PNG or JPEG image. An empty file is no logo.
func newLogo(file []byte) (Logo, error) {
	switch {
	case len(file) == 0:
		return nil, nil
	case len(file) > maxLogoBytes:
		return nil, invalid("logo", "at most 100 kB: save it with fewer pixels")
	}
	decodeConfig, decode, encode := png.DecodeConfig, png.Decode, encodePNG
	if Logo(file).MediaType() == mediaJPEG {
		decodeConfig, decode, encode = jpeg.DecodeConfig, jpeg.Decode, encodeJPEG
	}
	size, err := decodeConfig(bytes.NewReader(file)) // before any pixel is decoded
	if err != nil {
		return nil, invalid("logo", "a PNG or JPEG image")
	}
	if size.Width > maxLogoSide || size.Height > maxLogoSide {
		return nil, invalid("logo", "at most 1,200 pixels wide and high: save it smaller")
	}
	pixels, err := decode(bytes.NewReader(file))
	if err != nil {
		return nil, invalid("logo", "a whole PNG or JPEG image: this one is damaged")
	}
	var b bytes.Buffer
	if err := encode(&b, pixels); err != nil {
		return nil, fmt.Errorf("encoding the logo: %w", err)
	}
	if b.Len() > 2*maxLogoBytes {
		return nil, invalid("logo", "too many details to be sent in every e-mail: save it with fewer pixels")
	}
	return b.Bytes(), nil
}

func encodePNG(b *bytes.Buffer, pixels image.Image) error {
	return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(b, pixels)
}

func encodeJPEG(b *bytes.Buffer, pixels image.Image) error {
	return jpeg.Encode(b, pixels, &jpeg.Options{Quality: 90})
}

const (
	mediaPNG  = "image/png"
	mediaJPEG = "image/jpeg"
)

// MediaType returns image/png or image/jpeg.
func (l Logo) MediaType() string {
	if bytes.HasPrefix(l, []byte("\xff\xd8")) {
		return mediaJPEG
	}
	return mediaPNG
}
