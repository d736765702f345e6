package rules

import (
	"context"
	"slices"

	"ativa/internal/service/domain"
)

// SetCallback registers or replaces a provider's callback and returns it with
// its new secret, to be shown once.
func (r *CallbackRegistry) SetCallback(ctx context.Context, name, url string, allowPrivate bool) (domain.Callback, error) {
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
func (r *CallbackRegistry) Callback(ctx context.Context, name string) (domain.Callback, error) {
	return ofProvider(ctx, r, name, r.store.Callbacks, func(c domain.Callback) domain.ProviderID { return c.Provider }, &domain.Error{Code: domain.NotFound, Message: "the provider has no callback", Subject: domain.SubjectCallback})
}

// ofProvider returns the element of list that the named provider owns, or the error missing if
// there is none.
func ofProvider[T any](ctx context.Context, r *CallbackRegistry, name string, list func(context.Context) ([]T, error), owner func(T) domain.ProviderID, missing *domain.Error) (none T, err error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return none, err
	}
	all, err := list(ctx)
	return findOne(all, err, func(one T) bool { return owner(one) == p.ID }, missing)
}

// findOne returns the first element that matches, or the error missing if there is none. err is
// the error of reading the list, which takes precedence.
func findOne[T any](all []T, err error, matches func(T) bool, missing *domain.Error) (none T, _ error) {
	if err != nil {
		return none, err
	}
	i := slices.IndexFunc(all, matches)
	if i < 0 {
		return none, missing
	}
	return all[i], nil
}

// EnableCallback turns a provider's callback on or off. While it is off,
// its due jobs are dropped.
func (r *CallbackRegistry) EnableCallback(ctx context.Context, name string, enabled bool) (domain.Callback, error) {
	c, err := r.Callback(ctx, name)
	if err != nil {
		return c, err
	}
	c.Enabled = enabled
	return c, r.store.EnableCallback(ctx, c.Provider, enabled)
}

// RecordCallbackResult records whether a request to a provider's callback
// succeeded.
func (q *Queue) RecordCallbackResult(ctx context.Context, p domain.ProviderID, succeeded bool) error {
	return q.store.RecordCallbackResult(ctx, p, succeeded)
}

// ReplayCallbacks makes the provider's dead callback jobs due now, except obsolete ones, and
// returns them.
func (q *Queue) ReplayCallbacks(ctx context.Context, p domain.ProviderID) ([]domain.Delivery, error) {
	dead, err := q.store.Jobs(ctx, domain.JobFilter{States: []domain.JobState{domain.JobDead}, Kinds: []domain.JobKind{domain.CallbackJob}, Provider: p})
	if err != nil {
		return nil, err
	}
	deliverable, err := q.deliverable(ctx, dead)
	if err != nil {
		return nil, err
	}
	return q.reschedule(ctx, slices.DeleteFunc(dead, func(d domain.Delivery) bool { return !deliverable[d.ID] }))
}
