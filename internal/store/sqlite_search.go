package store

import (
	"context"

	"ativa/internal/provision"
)

// find implements engine: through the texts in memory, or through all
// subscribers where there are none.
func (db *sqliteFile) find(ctx context.Context, p provision.ProviderID, t provision.SearchTerm) (ids []provision.SubscriberID, err error) {
	if !db.exclusive {
		return db.compareAll(ctx, p, t)
	}
	texts, err := db.texts(ctx, p)
	if err != nil {
		return nil, err
	}
	db.index.mu.RLock()
	defer db.index.mu.RUnlock()
	err = withTimeout(ctx, searchTimeout, func(ctx context.Context) error {
		ids, err = texts.search(ctx, t)
		return err
	})
	return ids, err
}

// findPage implements engine.
func (db *sqliteFile) findPage(ctx context.Context, p provision.ProviderID, t provision.SearchTerm, offset, limit int) ([]provision.SubscriberID, int, error) {
	ids, err := db.find(ctx, p, t)
	return pageOf(ids, offset, limit), len(ids), err
}

// compareAll compares every subscriber.
func (db *sqliteFile) compareAll(ctx context.Context, p provision.ProviderID, t provision.SearchTerm) (ids []provision.SubscriberID, err error) {
	m := matcherOf(t)
	err = eachSubscriber(ctx, db.readers, p, subscribersWithoutServices, func(s *provision.SubscriberServices) error {
		if m.matches([]byte("\x00" + textOf(s.Subscriber).text)) {
			ids = append(ids, s.ID)
		}
		return nil
	})
	return ids, err
}

// texts returns the texts of a provider, which the first search reads.
func (db *sqliteFile) texts(ctx context.Context, p provision.ProviderID) (*texts, error) {
	x := db.index
	x.mu.Lock()
	t := x.providers[p]
	if t != nil && t.loaded {
		x.mu.Unlock()
		return t, nil
	}
	if t == nil { // from now on commits are noted
		t = &texts{}
		x.providers[p] = t
	}
	x.mu.Unlock()

	db.loading.Lock()
	defer db.loading.Unlock()
	x.mu.RLock()
	loaded := t.loaded
	x.mu.RUnlock()
	if loaded { // another search read it meanwhile
		return t, nil
	}
	fresh := &texts{}
	err := eachSubscriber(ctx, db.readers, p, subscribersWithoutServices, func(s *provision.SubscriberServices) error {
		fresh.put(textOf(s.Subscriber))
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range t.early {
		fresh.put(c)
	}
	fresh.loaded = true
	*t = *fresh
	return t, nil
}
