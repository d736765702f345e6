package accounts

import (
	"context"
	"slices"

	"ativa/internal/service/domain"
)

// CallbackStore stores the URLs that providers register for resent activations and for their
// feeds.
type CallbackStore interface {
	Callbacks(context.Context) ([]domain.Callback, error)
	// SetCallback registers or replaces the provider's callback.
	SetCallback(context.Context, domain.Callback) error
	// EnableCallback turns the provider's callback on or off.
	EnableCallback(ctx context.Context, p domain.ProviderID, enabled bool) error
	// FeedCallbacks lists the feed callbacks in one statement.
	FeedCallbacks(context.Context) ([]domain.FeedCallback, error)
	// UpdateFeedCallback reads a provider's feed callback, without the fields that only lists set,
	// and writes it back if fn returns nil, in one transaction. If there is none, fn gets one
	// without URL. fn may run again from the start.
	UpdateFeedCallback(ctx context.Context, p domain.ProviderID, fn func(*domain.FeedCallback) error) (domain.FeedCallback, error)
	// LastEvent and Events work as in [ativa/internal/service/reports.Store].
	LastEvent(context.Context, domain.ProviderID) (domain.EventID, error)
	Events(ctx context.Context, p domain.ProviderID, after domain.EventID, limit int) ([]domain.Event, error)
}

// SetCallback registers or replaces a provider's callback and returns it with
// its new secret, to be shown once.
func (r *Registry) SetCallback(ctx context.Context, name, url string, allowPrivate bool) (domain.Callback, error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return domain.Callback{}, err
	}
	if err := invalidCallbackURL(url, allowPrivate); err != nil {
		return domain.Callback{}, err
	}
	c := domain.Callback{Provider: p.ID, URL: url, Secret: domain.RandomBytes(24), AllowPrivate: allowPrivate, Enabled: true}
	return c, r.store.SetCallback(ctx, c)
}

// Callback returns a provider's callback, or NotFound when it has none.
func (r *Registry) Callback(ctx context.Context, name string) (domain.Callback, error) {
	return ofProvider(ctx, r, name, r.store.Callbacks, func(c domain.Callback) domain.ProviderID { return c.Provider }, &domain.Error{Code: domain.NotFound, Message: "the provider has no callback", Subject: domain.SubjectCallback})
}

// EnableCallback turns a provider's callback on or off. While it is off,
// its due deliveries are dropped.
func (r *Registry) EnableCallback(ctx context.Context, name string, enabled bool) (domain.Callback, error) {
	c, err := r.Callback(ctx, name)
	if err != nil {
		return c, err
	}
	c.Enabled = enabled
	return c, r.store.EnableCallback(ctx, c.Provider, enabled)
}

// ofProvider returns the element of list that the named provider owns, or the error missing if
// there is none.
func ofProvider[T any](ctx context.Context, r *Registry, name string, list func(context.Context) ([]T, error), owner func(T) domain.ProviderID, missing *domain.Error) (none T, err error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return none, err
	}
	all, err := list(ctx)
	if err != nil {
		return none, err
	}
	if i := slices.IndexFunc(all, func(one T) bool { return owner(one) == p.ID }); i >= 0 {
		return all[i], nil
	}
	return none, missing
}
