package accounts_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
)

// picture returns an image of the size as PNG or JPEG. A noisy one does not compress.
func picture(t *testing.T, media string, width, height int, noisy bool) []byte {
	t.Helper()
	pixels := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range pixels.Pix {
		pixels.Pix[i] = 0xff
		if noisy {
			pixels.Pix[i] = byte(rand.Uint32())
		}
	}
	pixels.Set(0, 0, color.Black)
	var b bytes.Buffer
	err := png.Encode(&b, pixels)
	if media == "image/jpeg" {
		b.Reset()
		err = jpeg.Encode(&b, pixels, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (fx *fixture) updateBrand(change func(*domain.Brand)) (domain.Brand, error) {
	return fx.m.UpdateBrand(fx.ctx, fx.p.Name, func(b *domain.Brand) error { change(b); return nil })
}

// A logo is re-encoded, so that metadata of the file, such as the place of a photo, does not reach
// subscribers.
func TestABrandIsChangedPartByPart(t *testing.T) {
	f := newFixture(t)
	first, err := f.updateBrand(func(b *domain.Brand) {
		b.DisplayName, b.Color, b.Phone = "  Azul Internet ", "#0B3D91", "0800 123 4567"
	})
	f.must(err)
	if first.DisplayName != "Azul Internet" || first.Color != "#0b3d91" || first.Phone != "0800 123 4567" || first.Logo != nil {
		t.Errorf("got %+v", first)
	}
	canary := []byte("CANARY-OF-THE-FILE")
	for media, decode := range map[string]func(io.Reader) (image.Config, error){"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig} {
		logo, err := accounts.NewLogo(append(picture(t, media, 240, 80, false), canary...))
		f.must(err)
		f.must(errorOf(f.updateBrand(func(b *domain.Brand) { b.Phone, b.Logo = "", logo })))
		got, err := f.m.Brand(f.ctx, f.p.Name)
		f.must(err)
		if got.DisplayName != "Azul Internet" || got.Color != "#0b3d91" || got.Phone != "" || got.Logo.MediaType() != media {
			t.Errorf("got %+v", got)
		}
		if size, err := decode(bytes.NewReader(got.Logo)); err != nil || size.Width != 240 || size.Height != 80 || bytes.Contains(got.Logo, canary) {
			t.Errorf("%s: got a logo of %dx%d, %v, want 240x80 without the rest of the file", media, size.Width, size.Height, err)
		}
	}
	f.must(errorOf(f.updateBrand(func(b *domain.Brand) { b.Logo = nil })))
	if got, err := f.m.Brand(f.ctx, f.p.Name); err != nil || len(got.Logo) != 0 {
		t.Errorf("a removed logo: got %d bytes, %v", len(got.Logo), err)
	}
}

func TestAWrongBrandIsRefusedWithTheRemedy(t *testing.T) {
	f := newFixture(t)
	logo := func(file []byte) func(*domain.Brand) error {
		return func(b *domain.Brand) (err error) { b.Logo, err = accounts.NewLogo(file); return err }
	}
	for _, c := range []struct {
		name   string
		change func(*domain.Brand) error
		want   string
	}{
		{"control character", func(b *domain.Brand) error { b.DisplayName = "A\nB"; return nil }, "control"},
		{"pale", func(b *domain.Brand) error { b.Color = "#ffee00"; return nil }, "choose a darker one"},
		{"no colour", func(b *domain.Brand) error { b.Color = "blue"; return nil }, "#RRGGBB"},
		{"colour with a sign", func(b *domain.Brand) error { b.Color = "#+12345"; return nil }, "#RRGGBB"},
		{"words for a telephone", func(b *domain.Brand) error { b.Phone = "call us"; return nil }, "3 to 15 digits"},
		{"two digits", func(b *domain.Brand) error { b.Phone = "19"; return nil }, "3 to 15 digits"},
		{"sixteen digits", func(b *domain.Brand) error { b.Phone = "1234567890123456"; return nil }, "3 to 15 digits"},
		{"a long telephone", func(b *domain.Brand) error { b.Phone = "0800" + strings.Repeat(" ", 23) + "1234"; return nil }, "3 to 15 digits"},
		{"no image", logo([]byte("<svg/>")), "a PNG or JPEG image"},
		{"damaged", logo(picture(t, "image/png", 200, 200, true)[:5000]), "damaged"},
		{"too large a file", logo(picture(t, "image/png", 300, 300, true)), "at most 100 kB"},
		{"too many pixels", logo(picture(t, "image/png", 1201, 10, false)), "at most 1,200 pixels"},
	} {
		_, err := f.m.UpdateBrand(f.ctx, f.p.Name, c.change)
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.ValidationFailed || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if b, err := f.m.Brand(f.ctx, f.p.Name); err != nil || b.DisplayName+b.Phone+string(b.Color)+string(b.Logo) != "" {
		t.Errorf("something was stored: %+v, %v", b, err)
	}
	for _, phone := range []string{"103", "123456789012345", "0800" + strings.Repeat(" ", 22) + "1234"} { // at the limits
		if b, err := f.updateBrand(func(b *domain.Brand) { b.Phone = phone }); err != nil || b.Phone != phone {
			t.Errorf("%q: got %q, %v", phone, b.Phone, err)
		}
	}
}
