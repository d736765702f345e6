package accounts

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ativa/internal/service/domain"
)

// CreateProduct adds a product.
func (r *Registry) CreateProduct(ctx context.Context, p domain.Product) error {
	if err := checkProduct(&p); err != nil {
		return err
	}
	return r.store.CreateProduct(ctx, p)
}

// UpdateProduct changes a product. It writes nothing when change returns an error.
// change may run more than once, and must not use the Registry.
func (r *Registry) UpdateProduct(ctx context.Context, id int, change func(*domain.Product) error) (domain.Product, error) {
	return r.store.UpdateProduct(ctx, id, func(p *domain.Product) error {
		if err := change(p); err != nil {
			return err
		}
		p.ID = id
		return checkProduct(p)
	})
}

// Grant allows or forbids a provider to sell the products. Existing services stay.
func (r *Registry) Grant(ctx context.Context, name string, ids []int, granted bool) error {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return err
	}
	if err := r.checkProductIDs(ctx, ids); err != nil {
		return err
	}
	return r.store.Grant(ctx, p.ID, ids, granted)
}

func (r *Registry) checkProductIDs(ctx context.Context, ids []int) error {
	products, err := r.store.Products(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(products, func(p domain.Product) bool { return p.ID == id }) {
			return domain.RefusalOf(domain.SubjectProduct, strconv.Itoa(id), domain.NotFound, "no product has this id")
		}
	}
	return nil
}

// checkProduct trims the texts of a product and validates it.
func checkProduct(p *domain.Product) error {
	p.Code, p.Family = strings.TrimSpace(p.Code), strings.TrimSpace(p.Family)
	p.Instructions = strings.TrimSpace(strings.ReplaceAll(p.Instructions, "\r\n", "\n"))
	p.HelpURL = strings.TrimSpace(p.HelpURL)
	return firstInvalid(invalidProduct(p), invalidInstructions(p.Instructions), invalidHelpURL(p.HelpURL))
}

// Limits of the texts of a product that subscribers read (decisions.md 18).
const (
	maxInstructions = 2000 // characters
	maxHelpURL      = 500  // bytes
)

func invalidInstructions(s string) *domain.Error {
	if utf8.RuneCountInString(s) > maxInstructions {
		return domain.Invalid("instructions", "at most 2,000 characters")
	}
	return invalidText("instructions", strings.NewReplacer("\n", " ", "\t", " ").Replace(s))
}

func invalidHelpURL(s string) *domain.Error {
	if s == "" {
		return nil
	}
	if invalidURL(s, false) != nil || invalidText("help_url", s) != nil || len(s) > maxHelpURL || strings.ContainsFunc(s, unicode.IsSpace) {
		return domain.Invalid("help_url", "an absolute https address of at most 500 characters")
	}
	return nil
}

func invalidProduct(p *domain.Product) *domain.Error {
	if err := invalidID(p.ID); err != nil {
		return err
	}
	if p.Code == "" {
		return domain.Invalid("code", "must not be empty")
	}
	if err := invalidText("code", p.Code); err != nil {
		return err
	}
	if err := invalidText("family", p.Family); err != nil {
		return err
	}
	return invalidName(&p.Name)
}
