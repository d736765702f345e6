package store

import (
	"context"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

// searchTimeout limits how long one search keeps the database or the index busy. The cost of a
// search is bounded, so that only an overloaded machine reaches this limit.
const searchTimeout = 10 * time.Second

// withSearchTimeout runs a search for at most searchTimeout.
func withSearchTimeout(ctx context.Context, search func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	err := search(bounded)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return unavailable("the search took too long", err)
	}
	return err
}

// Search implements server.Store.
func (db *DB) Search(ctx context.Context, p domain.ProviderID, t domain.SearchTerm, offset, limit int) ([]domain.SubscriberServices, int, error) {
	ids, total, err := db.findPage(ctx, p, t, offset, limit)
	if err != nil {
		return nil, 0, err
	}
	found, err := db.byID(ctx, ids)
	return found, total, err
}

// EachMatch implements server.Store.
func (db *DB) EachMatch(ctx context.Context, p domain.ProviderID, t domain.SearchTerm, fn func(*domain.SubscriberServices) error) error {
	ids, err := db.find(ctx, p, t)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, listBatch) {
		found, err := db.byID(ctx, some)
		if err != nil {
			return err
		}
		for i := range found {
			if err := fn(&found[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// find implements engine. The first search of a provider reads all its subscribers into the index.
// The file must be exclusive, so that no other process changes what the index holds.
func (db *sqliteFile) find(ctx context.Context, p domain.ProviderID, t domain.SearchTerm) (ids []domain.SubscriberID, err error) {
	err = db.index.Load(ctx, p, func(add func(domain.Subscriber)) error {
		read := func(ctx context.Context, after, last int64) ([]domain.Subscriber, error) {
			return list(ctx, db.readers, subscriberTargets, subscribersInRange, after, last)
		}
		return eachBatch(ctx, db.readers, subscriberRange(p), read, func(s *domain.Subscriber) error {
			add(*s)
			return ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	err = withSearchTimeout(ctx, func(ctx context.Context) error {
		ids, err = db.index.Search(ctx, p, t)
		return err
	})
	return ids, err
}

func (db *sqliteFile) findPage(ctx context.Context, p domain.ProviderID, t domain.SearchTerm, offset, limit int) ([]domain.SubscriberID, int, error) {
	ids, err := db.find(ctx, p, t)
	from := min(offset, len(ids))
	return ids[from:min(from+limit, len(ids))], len(ids), err
}
