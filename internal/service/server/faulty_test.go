package server_test

import (
	"context"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

// noFault and noFaultEach are the faults of a store that works.
func noFault(context.Context) error          { return nil }
func noFaultEach(context.Context, int) error { return nil }

// faultyStore is the real store with the faults that a test sets.
type faultyStore struct {
	servicetest.Store
	update func(context.Context) error            // before an Update, and before other writes of requests
	each   func(ctx context.Context, n int) error // before the nth subscriber of the plain list, or the nth service of a report
	lists  int                                    // how often the partners were read
}

func (s *faultyStore) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	if err := s.update(ctx); err != nil {
		return err
	}
	return s.Store.Update(ctx, p, fn)
}

func (s *faultyStore) ChangeToken(ctx context.Context, p domain.ProviderID, fn func(domain.Provider, []domain.AccessToken) (domain.TokenChange, error)) (domain.AccessToken, error) {
	if err := s.update(ctx); err != nil {
		return domain.AccessToken{}, err
	}
	return s.Store.ChangeToken(ctx, p, fn)
}

func (s *faultyStore) Partners(ctx context.Context) ([]domain.Partner, error) {
	s.lists++
	return s.Store.Partners(ctx)
}

func (s *faultyStore) MarkOpened(ctx context.Context, l domain.Link, at time.Time) error {
	if err := s.update(ctx); err != nil {
		return err
	}
	return s.Store.MarkOpened(ctx, l, at)
}

func (s *faultyStore) EachSubscriber(ctx context.Context, p domain.ProviderID, fn func(*domain.SubscriberServices) error) error {
	return s.Store.EachSubscriber(ctx, p, withFaults(ctx, s, fn))
}

func (s *faultyStore) EachInterval(ctx context.Context, p domain.ProviderID, q domain.IntervalQuery, fn func(*domain.ServiceInterval) error) error {
	return s.Store.EachInterval(ctx, p, q, withFaults(ctx, s, fn))
}

func withFaults[T any](ctx context.Context, s *faultyStore, fn func(T) error) func(T) error {
	n := -1
	return func(v T) error {
		n++
		if err := s.each(ctx, n); err != nil {
			return err
		}
		return fn(v)
	}
}
