package rules

import (
	"context"

	"ativa/internal/service/domain"
)

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
