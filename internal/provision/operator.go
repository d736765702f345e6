package provision

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// CreateProvider sets up a provider that may sell the products, with its first
// access token, which is shown once and kept as a hash only.
func (m *Manager) CreateProvider(ctx context.Context, p Provider, products ...int) (Provider, string, error) {
	p.Name = strings.TrimSpace(p.Name)
	if err := firstInvalid(invalidName(p.Name), invalidLimit(p.Limit)); err != nil {
		return Provider{}, "", err
	}
	if err := m.exist(ctx, products); err != nil {
		return Provider{}, "", err
	}
	p.CreatedAt = m.now()
	p, err := m.store.CreateProvider(ctx, p)
	if err == nil {
		err = m.store.Grant(ctx, p.ID, products)
	}
	if err != nil {
		return Provider{}, "", err
	}
	_, secret, err := m.addToken(ctx, p.ID)
	return p, secret, err
}

func (m *Manager) addToken(ctx context.Context, p ProviderID) (AccessToken, string, error) {
	secret := NewAccessToken()
	t, err := m.store.AddAccessToken(ctx, AccessToken{Provider: p, Hash: hashSecret(secret), CreatedAt: m.now()})
	return t, secret, err
}

// RotateToken gives the provider a second access token; of three, the oldest
// ends (two are valid at once, decisions.md 8).
func (m *Manager) RotateToken(ctx context.Context, name string) (AccessToken, string, error) {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return AccessToken{}, "", err
	}
	tokens, err := m.store.AccessTokens(ctx, p.ID)
	if err != nil {
		return AccessToken{}, "", err
	}
	valid := slices.DeleteFunc(tokens, func(t AccessToken) bool { return !t.RevokedAt.IsZero() })
	slices.SortFunc(valid, func(a, b AccessToken) int { return a.CreatedAt.Compare(b.CreatedAt) })
	for len(valid) >= 2 {
		if err := m.store.RevokeAccessToken(ctx, p.ID, valid[0].ID, m.now()); err != nil {
			return AccessToken{}, "", err
		}
		valid = valid[1:]
	}
	return m.addToken(ctx, p.ID)
}

// AccessTokens lists the provider's tokens, revoked ones included.
func (m *Manager) AccessTokens(ctx context.Context, name string) ([]AccessToken, error) {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return m.store.AccessTokens(ctx, p.ID)
}

// RevokeToken ends an access token and the bearer tokens made from it.
func (m *Manager) RevokeToken(ctx context.Context, name string, id int64) error {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return err
	}
	return m.store.RevokeAccessToken(ctx, p.ID, id, m.now())
}

// Providers lists all providers by id.
func (m *Manager) Providers(ctx context.Context) ([]Provider, error) { return m.store.Providers(ctx) }

// SetLimit changes the provider's limit of active tokens; when it is raised,
// queued activations start in the order received.
func (m *Manager) SetLimit(ctx context.Context, name string, limit int) (Provider, error) {
	if err := invalidLimit(limit); err != nil {
		return Provider{}, err
	}
	p, err := m.changeProvider(ctx, name, func(p *Provider) { p.Limit = limit })
	for more := p.Queued > 0 && p.Counted < p.Limit; more && err == nil; {
		more, err = m.drainOf(ctx, p.ID)
	}
	if err != nil {
		return p, err
	}
	return m.store.ProviderByName(ctx, name)
}

// Disable stops a provider: none of its tokens is accepted, until it is
// enabled again.
func (m *Manager) Disable(ctx context.Context, name string) (Provider, error) {
	return m.changeProvider(ctx, name, func(p *Provider) { p.Disabled = true })
}

// Enable is the opposite of Disable: tokens that were valid are so again.
func (m *Manager) Enable(ctx context.Context, name string) (Provider, error) {
	return m.changeProvider(ctx, name, func(p *Provider) { p.Disabled = false })
}

func (m *Manager) changeProvider(ctx context.Context, name string, change func(*Provider)) (Provider, error) {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return p, err
	}
	err = m.write(ctx, Call{Provider: p.ID, Actor: ActorOperator}, func(_ context.Context, u *unit) (any, error) {
		change(&u.provider)
		return nil, nil
	})
	if err != nil {
		return p, err
	}
	return m.store.ProviderByName(ctx, name)
}

// CreateProduct adds a product to what may be sold.
func (m *Manager) CreateProduct(ctx context.Context, p Product) error {
	if err := firstInvalid(invalidProduct(p)); err != nil {
		return err
	}
	return m.store.CreateProduct(ctx, p)
}

// UpdateProduct changes a product; nothing is written when change fails.
func (m *Manager) UpdateProduct(ctx context.Context, id int, change func(*Product) error) (Product, error) {
	products, err := m.store.Products(ctx)
	if err != nil {
		return Product{}, err
	}
	i := slices.IndexFunc(products, func(p Product) bool { return p.ID == id })
	if i < 0 {
		return Product{}, &Error{Code: NotFound, Message: "no product has this id"}
	}
	p := products[i]
	if err := change(&p); err != nil {
		return Product{}, err
	}
	if err := firstInvalid(invalidProduct(p)); err != nil {
		return Product{}, err
	}
	return p, m.store.UpdateProduct(ctx, p)
}

// Products lists every product by id.
func (m *Manager) Products(ctx context.Context) ([]Product, error) { return m.store.Products(ctx) }

// Grant lets a provider sell the products.
func (m *Manager) Grant(ctx context.Context, name string, ids []int) error {
	return m.grant(ctx, name, ids, m.store.Grant)
}

// RevokeProducts forbids a provider to sell the products; services that exist stay.
func (m *Manager) RevokeProducts(ctx context.Context, name string, ids []int) error {
	return m.grant(ctx, name, ids, m.store.Revoke)
}

func (m *Manager) grant(ctx context.Context, name string, ids []int, do func(context.Context, ProviderID, []int) error) error {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return err
	}
	if err := m.exist(ctx, ids); err != nil {
		return err
	}
	return do(ctx, p.ID, ids)
}

// exist refuses ids of products that there are not.
func (m *Manager) exist(ctx context.Context, ids []int) error {
	products, err := m.store.Products(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(products, func(p Product) bool { return p.ID == id }) {
			return &Error{Code: NotFound, Message: fmt.Sprintf("product %d does not exist", id)}
		}
	}
	return nil
}

// CreatePartner adds a partner; its signing secret is in the result, to be
// shown once.
func (m *Manager) CreatePartner(ctx context.Context, p Partner) (Partner, error) {
	if err := firstInvalid(invalidPartner(p)); err != nil {
		return Partner{}, err
	}
	p.Secret, p.CreatedAt = randomBytes(24), m.now()
	return m.store.CreatePartner(ctx, p)
}

// Partners lists every partner, with its secret.
func (m *Manager) Partners(ctx context.Context) ([]Partner, error) { return m.store.Partners(ctx) }

// Operations lists operations, oldest first.
func (m *Manager) Operations(ctx context.Context, f OperationFilter) ([]OperationEntry, error) {
	return m.store.ListOperations(ctx, f)
}

// Secret returns the Standard Webhooks form of a signing secret, "whsec_…".
func Secret(b []byte) string { return "whsec_" + base64.StdEncoding.EncodeToString(b) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

func invalid(field, message string) *Error {
	return &Error{Code: ValidationFailed, Message: field + ": " + message,
		Fields: []FieldError{{Field: field, Code: "invalid", Message: message}}}
}

func firstInvalid(errs ...*Error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func invalidName(s string) *Error {
	if s == "" || utf8.RuneCountInString(s) > 255 {
		return invalid("name", "1 to 255 characters")
	}
	return nil
}

func invalidLimit(n int) *Error {
	if n < 0 {
		return invalid("limit", "0 or more active tokens")
	}
	return nil
}

func invalidProduct(p Product) *Error {
	switch {
	case p.ID < 1:
		return invalid("id", "a positive number")
	case strings.TrimSpace(p.Code) == "":
		return invalid("code", "must not be empty")
	}
	return invalidName(p.Name)
}

func invalidPartner(p Partner) *Error {
	switch p.Driver {
	case DriverManual:
	case DriverSimulator:
		if p.Delay < 0 {
			return invalid("delay", "0 or more")
		}
		if p.FailureRate < 0 || p.FailureRate > 1 {
			return invalid("failure-rate", "between 0 and 1")
		}
	case DriverHTTP:
		if err := invalidURL(p.URL, true); err != nil {
			return err
		}
	default:
		return invalid("driver", "manual, simulator or http")
	}
	return invalidName(p.Name)
}

func invalidURL(s string, plain bool) *Error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !(plain && u.Scheme == "http") {
		return invalid("url", "an absolute https address")
	}
	return nil
}
