package accounts

import (
	"context"

	"ativa/internal/service/domain"
)

// SetFeedCallback registers a provider's feed callback, or replaces its URL and secret, and
// enables it. A new callback starts with the next event; an existing one keeps its cursor. With
// fromBeginning it starts with the oldest stored event.
func (r *Registry) SetFeedCallback(ctx context.Context, name, url string, allowPrivate, fromBeginning bool) (domain.FeedCallback, error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return domain.FeedCallback{}, err
	}
	if err := invalidCallbackURL(url, allowPrivate); err != nil {
		return domain.FeedCallback{}, err
	}
	newest, err := r.store.LastEvent(ctx, p.ID)
	if err != nil {
		return domain.FeedCallback{}, err
	}
	oldest, err := r.store.Events(ctx, p.ID, 0, 1)
	if err != nil {
		return domain.FeedCallback{}, err
	}
	secret := domain.RandomBytes(24)
	return r.store.UpdateFeedCallback(ctx, p.ID, func(c *domain.FeedCallback) error {
		isNew := c.URL == ""
		c.Callback = domain.Callback{Provider: p.ID, URL: url, Secret: secret, AllowPrivate: allowPrivate, Enabled: true}
		c.RetryNow()
		switch {
		case fromBeginning && len(oldest) > 0:
			c.Begin(oldest[0].ID-1, r.clock.Now())
		case fromBeginning || isNew:
			c.Begin(newest, r.clock.Now())
		}
		return nil
	})
}

// FeedCallback returns a provider's feed callback, or NotFound when it has none.
func (r *Registry) FeedCallback(ctx context.Context, name string) (domain.FeedCallback, error) {
	return ofProvider(ctx, r, name, r.store.FeedCallbacks, func(c domain.FeedCallback) domain.ProviderID { return c.Provider },
		&domain.Error{Code: domain.NotFound, Message: "the provider has no feed callback"})
}

// EnableFeedCallback turns a provider's feed callback on or off. When turned on again, it
// continues where it stopped.
func (r *Registry) EnableFeedCallback(ctx context.Context, name string, enabled bool) (domain.FeedCallback, error) {
	c, err := r.FeedCallback(ctx, name)
	if err != nil {
		return c, err
	}
	return r.store.UpdateFeedCallback(ctx, c.Provider, func(c *domain.FeedCallback) error {
		if c.Enabled = enabled; enabled {
			c.RetryNow()
		}
		return nil
	})
}
