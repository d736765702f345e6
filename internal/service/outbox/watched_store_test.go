package outbox_test

import (
	"context"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
)

// watchedStore is a store that reports its calls.
type watchedStore struct {
	*store.DB
	// after is called after each of the calls below, with the number of rows read or written. Its
	// error becomes the result of the call.
	after func(call string, rows int) error
	idle  bool // no delivery is ever due, so that hours pass quickly
}

// The names of watched calls. That of a claim ends with the kind of the deliveries.
const (
	readPartners  = "read partners"
	readCallbacks = "read callbacks"
	readBrands    = "read brands"
	readDetails   = "read details of services"
	readFeeds     = "read feed callbacks"
	readLastEvent = "read the newest event" // the first call of a claim of a feed's batch
	claimOf       = "claim deliveries of kind "
	writeOutcomes = "write outcomes"
	writeLinks    = "write links"
	writeFailures = "write the number of a callback's failures"
)

func (s *watchedStore) watch(call string, rows int, err error) error {
	if err != nil || s.after == nil {
		return err
	}
	return s.after(call, rows)
}

// watched returns what a read returned, or nothing if it is to fail.
func watched[T any](s *watchedStore, call string, rows int, v T, err error) (T, error) {
	if err = s.watch(call, rows, err); err != nil {
		var none T
		return none, err
	}
	return v, nil
}

func (s *watchedStore) DueDestinations(ctx context.Context, kind domain.DeliveryKind, now time.Time) ([]int64, error) {
	if s.idle {
		return nil, nil
	}
	return s.DB.DueDestinations(ctx, kind, now)
}

func (s *watchedStore) ClaimDeliveries(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Delivery, error) {
	deliveries, err := s.DB.ClaimDeliveries(ctx, to, n, due, until)
	return watched(s, claimOf+to.Kind.String(), len(deliveries), deliveries, err)
}

func (s *watchedStore) FinishDeliveries(ctx context.Context, deliveries []domain.Delivery, links []domain.Link) error {
	err := s.watch(writeOutcomes, len(deliveries), s.DB.FinishDeliveries(ctx, deliveries, links))
	return s.watch(writeLinks, len(links), err)
}

func (s *watchedStore) RecordCallbackResult(ctx context.Context, p domain.ProviderID, ok bool) error {
	return s.watch(writeFailures, 1, s.DB.RecordCallbackResult(ctx, p, ok))
}

func (s *watchedStore) Partners(ctx context.Context) ([]domain.Partner, error) {
	all, err := s.DB.Partners(ctx)
	return watched(s, readPartners, len(all), all, err)
}

func (s *watchedStore) Callbacks(ctx context.Context) ([]domain.Callback, error) {
	all, err := s.DB.Callbacks(ctx)
	return watched(s, readCallbacks, len(all), all, err)
}

func (s *watchedStore) FeedCallbacks(ctx context.Context) ([]domain.FeedCallback, error) {
	all, err := s.DB.FeedCallbacks(ctx)
	return watched(s, readFeeds, len(all), all, err)
}

func (s *watchedStore) Brands(ctx context.Context, ids []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error) {
	all, err := s.DB.Brands(ctx, ids)
	return watched(s, readBrands, len(all), all, err)
}

func (s *watchedStore) ServiceDetails(ctx context.Context, ids []domain.ServiceID) (map[domain.ServiceID]domain.ServiceDetails, error) {
	all, err := s.DB.ServiceDetails(ctx, ids)
	return watched(s, readDetails, len(all), all, err)
}

func (s *watchedStore) LastEvent(ctx context.Context, p domain.ProviderID) (domain.EventID, error) {
	last, err := s.DB.LastEvent(ctx, p)
	return watched(s, readLastEvent, 1, last, err)
}
