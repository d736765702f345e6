package provision

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Brand is how a provider appears to its subscribers, in e-mails and on the
// activation page. The zero value of a field means that there is none.
type Brand struct {
	Provider    ProviderID
	DisplayName string // instead of the provider's name
	Logo        Logo
	Color       Color  // of buttons and links
	Phone       string // of the provider's support, as it is shown
}

// BrandChange holds the parts of a brand that are to change. An empty text, or
// logo, removes the part.
type BrandChange struct {
	DisplayName, Color, Phone OptionalText
	Logo                      []byte // a PNG or JPEG image; nil: unchanged
}

// NameOr returns the display name, or the name of the provider if there is none.
func (b Brand) NameOr(provider string) string { return cmp.Or(b.DisplayName, provider) }

// Brand returns the brand of the provider with the name.
func (m *Manager) Brand(ctx context.Context, name string) (Brand, error) {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return Brand{}, err
	}
	return m.brandOf(ctx, p.ID)
}

func (m *Manager) brandOf(ctx context.Context, p ProviderID) (Brand, error) {
	all, err := m.store.Brands(ctx, []ProviderID{p})
	b := all[p]
	b.Provider = p
	return b, err
}

// SetBrand changes parts of a provider's brand and returns the whole.
func (m *Manager) SetBrand(ctx context.Context, name string, c BrandChange) (Brand, error) {
	b, err := m.Brand(ctx, name)
	if err != nil {
		return b, err
	}
	if c.DisplayName.Set {
		b.DisplayName = strings.TrimSpace(c.DisplayName.Value)
		if b.DisplayName != "" {
			if err := invalidName(b.DisplayName); err != nil {
				return b, err
			}
		}
	}
	if c.Phone.Set {
		b.Phone = strings.TrimSpace(c.Phone.Value)
		if err := invalidSupportPhone(b.Phone); err != nil {
			return b, err
		}
	}
	if c.Color.Set {
		if b.Color, err = ParseColor(c.Color.Value); err != nil {
			return b, err
		}
	}
	if c.Logo != nil {
		if b.Logo, err = newLogo(c.Logo); err != nil {
			return b, err
		}
	}
	return b, m.store.SaveBrand(ctx, b)
}

// invalidSupportPhone checks a telephone number that people read and dial. It may
// be a short or a free one, such as 0800 123 4567 or 10315, which is none of the
// numbers that subscribers have.
func invalidSupportPhone(s string) *Error {
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
	if s == "" {
		return nil
	}
	if strings.Trim(s, "0123456789+()-. ") != "" || len(digits) < 3 || len(digits) > 15 || utf8.RuneCountInString(s) > 30 {
		return invalid("phone", "3 to 15 digits, with spaces, +, ( ), - and . as they are to be shown")
	}
	return nil
}

func (m *Manager) addBrands(ctx context.Context, deliveries []ClaimedDelivery) error {
	ids := map[ProviderID]bool{}
	for i := range deliveries {
		ids[deliveries[i].Provider.ID] = true
	}
	all, err := m.store.Brands(ctx, slices.Sorted(maps.Keys(ids)))
	for i := range deliveries {
		deliveries[i].Brand = all[deliveries[i].Provider.ID]
	}
	return err
}
