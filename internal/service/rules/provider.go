package rules

import (
	"context"
	"strings"

	"ativa/internal/service/domain"
)

// CreateProvider adds a provider that may sell the products. It returns the
// provider with the secret of its first access token, to be shown once.
func (r *Registry) CreateProvider(ctx context.Context, p domain.Provider, products ...int) (domain.Provider, string, error) {
	p.Name = strings.TrimSpace(p.Name)
	if err := firstInvalid(invalidName(p.Name), domain.InvalidLimit(p.Limit)); err != nil {
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

// SetLimit changes the provider's limit of active tokens. If that leaves room, queued activations
// start in the order received.
func (e *Engine) SetLimit(ctx context.Context, name string, limit int) (domain.Provider, error) {
	if err := domain.InvalidLimit(limit); err != nil {
		return domain.Provider{}, err
	}
	p, err := e.store.ProviderByName(ctx, name)
	if err != nil {
		return p, err
	}
	err = e.write(ctx, Call{Provider: p.ID, Actor: domain.ActorOperator}, func(_ context.Context, u *unitOfWork) (any, error) {
		u.provider.Limit = limit
		return nil, nil
	})
	for more := true; more && err == nil; {
		more, err = e.promoteFor(ctx, p.ID)
	}
	if err != nil {
		return p, err
	}
	return e.store.ProviderByName(ctx, name)
}
