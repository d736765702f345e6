package accounts

import (
	"context"

	"ativa/internal/service/domain"
)

// CreateProvider adds a provider that may sell the products. It returns the
// provider with the secret of its first access token, to be shown once.
func (r *Registry) CreateProvider(ctx context.Context, p domain.Provider, products ...int) (domain.Provider, string, error) {
	if err := firstInvalid(invalidName(&p.Name), domain.InvalidLimit(p.Limit)); err != nil {
		return domain.Provider{}, "", err
	}
	if err := r.checkProductIDs(ctx, products); err != nil {
		return domain.Provider{}, "", err
	}
	p.CreatedAt = r.clock.Now()
	secret := NewAccessToken()
	p, err := r.store.CreateProvider(ctx, p, products, domain.AccessToken{Name: DefaultTokenName, Scopes: domain.AllScopes, Hash: domain.HashSecret(secret), CreatedAt: p.CreatedAt})
	return p, secret, err
}
