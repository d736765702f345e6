package accounts

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"unicode/utf8"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Brand returns the brand of the provider with the name.
func (r *Registry) Brand(ctx context.Context, name string) (domain.Brand, error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return domain.Brand{}, err
	}
	all, err := r.store.Brands(ctx, []domain.ProviderID{p.ID})
	b := all[p.ID]
	b.Provider = p.ID
	return b, err
}

// UpdateBrand changes a provider's brand with change and returns the complete brand.
func (r *Registry) UpdateBrand(ctx context.Context, name string, change func(*domain.Brand) error) (domain.Brand, error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return domain.Brand{}, err
	}
	return r.store.UpdateBrand(ctx, p.ID, func(b *domain.Brand) error {
		if err := change(b); err != nil {
			return err
		}
		b.DisplayName, b.Phone = strings.TrimSpace(b.DisplayName), strings.TrimSpace(b.Phone)
		if b.DisplayName != "" {
			if err := invalidName(&b.DisplayName); err != nil {
				return err
			}
		}
		if err := invalidSupportPhone(b.Phone); err != nil {
			return err
		}
		b.Color, err = domain.ParseColor(string(b.Color))
		return err
	})
}

// invalidSupportPhone validates a phone number for display. Unlike a subscriber's number it may be
// short or toll-free, such as 10315 or 0800 123 4567.
func invalidSupportPhone(s string) *domain.Error {
	if s == "" {
		return nil
	}
	digits := cpf.OnlyDigits(s)
	if strings.Trim(s, "0123456789+()-. ") != "" || len(digits) < 3 || len(digits) > 15 || utf8.RuneCountInString(s) > 30 {
		return domain.Invalid("phone", "3 to 15 digits, with spaces, +, ( ), - and . as they are to be shown")
	}
	return nil
}

// Limits of a logo, which every e-mail contains.
const (
	maxLogoBytes = 100_000
	maxLogoSide  = 1200 // pixels
)

// NewLogo decodes and re-encodes a PNG or JPEG image. An empty file is no logo.
func NewLogo(file []byte) (domain.Logo, error) {
	switch {
	case len(file) == 0:
		return nil, nil
	case len(file) > maxLogoBytes:
		return nil, domain.Invalid("logo", "at most 100 kB: save it with fewer pixels")
	}
	decodeConfig, decode, encode := png.DecodeConfig, png.Decode, encodePNG
	if domain.Logo(file).MediaType() == domain.MediaJPEG {
		decodeConfig, decode, encode = jpeg.DecodeConfig, jpeg.Decode, encodeJPEG
	}
	size, err := decodeConfig(bytes.NewReader(file)) // before any pixel is decoded
	if err != nil {
		return nil, domain.Invalid("logo", "a PNG or JPEG image")
	}
	if size.Width > maxLogoSide || size.Height > maxLogoSide {
		return nil, domain.Invalid("logo", "at most 1,200 pixels wide and high: save it smaller")
	}
	pixels, err := decode(bytes.NewReader(file))
	if err != nil {
		return nil, domain.Invalid("logo", "a whole PNG or JPEG image: this one is damaged")
	}
	var b bytes.Buffer
	if err := encode(&b, pixels); err != nil {
		return nil, fmt.Errorf("encoding the logo: %w", err)
	}
	if b.Len() > 2*maxLogoBytes {
		return nil, domain.Invalid("logo", "too many details to be sent in every e-mail: save it with fewer pixels")
	}
	return b.Bytes(), nil
}

func encodePNG(b *bytes.Buffer, pixels image.Image) error {
	return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(b, pixels)
}

func encodeJPEG(b *bytes.Buffer, pixels image.Image) error {
	return jpeg.Encode(b, pixels, &jpeg.Options{Quality: 90})
}
