package outbox_test

import (
	"context"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
)

// watchedStore is a store whose calls a test watches, precedes or fails.
type watchedStore struct {
	*store.DB
	before func(call string) error     // its error is the result of the call; may be nil
	after  func(call string, rows int) // with the number of rows read or written; may be nil
	idle   bool                        // no job is ever due, so that hours pass quickly
}

// The names of watched calls. That of a claim ends with the kind of the jobs.
const (
	readPartners  = "read partners"
	readCallbacks = "read callbacks"
	readBrands    = "read brands"
	readFeeds     = "read feed callbacks"
	readLastEvent = "read the newest event" // the first call of a claim of a feed's batch
	claimOf       = "claim jobs of kind "
	writeOutcomes = "write outcomes"
	writeLinks    = "write links"
	writeFailures = "write the number of a callback's failures"
)

func (s *watchedStore) watch(call string, do func() (rows int, err error)) error {
	if s.before != nil {
		if err := s.before(call); err != nil {
			return err
		}
	}
	rows, err := do()
	if s.after != nil {
		s.after(call, rows)
	}
	return err
}

func watchRows[T any](s *watchedStore, call string, do func() ([]T, error)) (all []T, err error) {
	err = s.watch(call, func() (int, error) {
		all, err = do()
		return len(all), err
	})
	return all, err
}

func (s *watchedStore) DueDestinations(ctx context.Context, kind domain.JobKind, now time.Time) ([]int64, error) {
	if s.idle {
		return nil, nil
	}
	return s.DB.DueDestinations(ctx, kind, now)
}

func (s *watchedStore) ClaimJobs(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Job, error) {
	return watchRows(s, claimOf+to.Kind.String(), func() ([]domain.Job, error) { return s.DB.ClaimJobs(ctx, to, n, due, until) })
}

func (s *watchedStore) FinishJobs(ctx context.Context, jobs []domain.Job, links []domain.Link) error {
	return s.watch(writeOutcomes, func() (int, error) {
		return len(jobs), s.watch(writeLinks, func() (int, error) { return len(links), s.DB.FinishJobs(ctx, jobs, links) })
	})
}

func (s *watchedStore) RecordCallbackResult(ctx context.Context, p domain.ProviderID, ok bool) error {
	return s.watch(writeFailures, func() (int, error) { return 1, s.DB.RecordCallbackResult(ctx, p, ok) })
}

func (s *watchedStore) Partners(ctx context.Context) ([]domain.Partner, error) {
	return watchRows(s, readPartners, func() ([]domain.Partner, error) { return s.DB.Partners(ctx) })
}

func (s *watchedStore) Callbacks(ctx context.Context) ([]domain.Callback, error) {
	return watchRows(s, readCallbacks, func() ([]domain.Callback, error) { return s.DB.Callbacks(ctx) })
}

func (s *watchedStore) FeedCallbacks(ctx context.Context) ([]domain.FeedCallback, error) {
	return watchRows(s, readFeeds, func() ([]domain.FeedCallback, error) { return s.DB.FeedCallbacks(ctx) })
}

func (s *watchedStore) Brands(ctx context.Context, ids []domain.ProviderID) (all map[domain.ProviderID]domain.Brand, err error) {
	err = s.watch(readBrands, func() (int, error) {
		all, err = s.DB.Brands(ctx, ids)
		return len(all), err
	})
	return all, err
}

func (s *watchedStore) LastEvent(ctx context.Context, p domain.ProviderID) (last domain.EventID, err error) {
	err = s.watch(readLastEvent, func() (int, error) {
		last, err = s.DB.LastEvent(ctx, p)
		return 1, err
	})
	return last, err
}
