package store

import (
	"context"

	"ativa/internal/provision"
	"ativa/internal/store/searchindex"
)

// find implements engine. The first search of a provider reads all its
// subscribers into the index; a file that other processes may change has no
// index, and each search reads them.
func (db *sqliteFile) find(ctx context.Context, p provision.ProviderID, t provision.SearchTerm) (ids []provision.SubscriberID, err error) {
	if !db.exclusive {
		return db.compareAll(ctx, p, t)
	}
	err = db.index.Load(p, func(add func(provision.Subscriber)) error {
		return eachSubscriber(ctx, db.readers, p, subscribersWithoutServices, func(s *provision.SubscriberServices) error {
			add(s.Subscriber)
			return ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	err = withTimeout(ctx, searchTimeout, func(ctx context.Context) error {
		ids, err = db.index.Search(ctx, p, t)
		return err
	})
	return ids, err
}

func (db *sqliteFile) findPage(ctx context.Context, p provision.ProviderID, t provision.SearchTerm, offset, limit int) ([]provision.SubscriberID, int, error) {
	ids, err := db.find(ctx, p, t)
	return pageOf(ids, offset, limit), len(ids), err
}

func (db *sqliteFile) compareAll(ctx context.Context, p provision.ProviderID, t provision.SearchTerm) (ids []provision.SubscriberID, err error) {
	m := searchindex.NewMatcher(t)
	err = eachSubscriber(ctx, db.readers, p, subscribersWithoutServices, func(s *provision.SubscriberServices) error {
		if m.Matches([]byte(searchindex.Text(s.Subscriber))) {
			ids = append(ids, s.ID)
		}
		return nil
	})
	return ids, err
}
