package store_test

import (
	"context"
	"sync"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// A request's read of the products holds until its commit, and an operator's read of the services
// too: each waits for the other.
func TestAChangeOfAFamilyAndAnActivationWaitForEachOther(t *testing.T) {
	onPostgres(t)
	const family = "play"
	dsn := pgtest.DSN(t)
	f, db := newDatabaseOn(t, dsn, store.Options{})
	other := open(t, dsn, store.Options{})
	defer other.Close()
	f.insert(1, 2)
	for id, in := range map[int]string{1: family, 2: "", 3: ""} {
		must(t, db.CreateProduct(t.Context(), domain.Product{ID: id, Name: "Produto", Code: string(rune('a' + id)), Family: in}))
	}
	join := func(product int, while func()) error {
		_, err := other.UpdateProduct(t.Context(), product, func(p *domain.Product) error {
			p.Family = family
			while()
			return nil
		})
		return err
	}
	activate := func(subscriber, product int, while func(read map[int]domain.Offer)) {
		f.update(func(ctx context.Context, tx rules.Tx) error {
			read, err := tx.Products(ctx)
			if err != nil {
				return err
			}
			while(read)
			first, _ := f.subscriber(subscriber).ID.Services()
			return tx.Write(ctx, rules.Changes{NewServices: []domain.Service{{ID: first + domain.ServiceID(product), ProductID: product, Status: domain.Active}}})
		})
	}

	activate(1, 1, func(map[int]domain.Offer) {})
	var change error
	var running sync.WaitGroup
	activate(1, 2, func(map[int]domain.Offer) {
		waitForLock(t, dsn, &running, func() { change = join(2, func() {}) })
	})
	running.Wait()
	if !domain.IsCode(change, domain.FamilyConflict) {
		t.Errorf("a product joins the family while it is activated beside another: got %v, want %s", change, domain.FamilyConflict)
	}

	var got string
	must(t, join(3, func() {
		waitForLock(t, dsn, &running, func() {
			activate(2, 3, func(read map[int]domain.Offer) { got = read[3].Family })
		})
	}))
	running.Wait()
	if got != family {
		t.Errorf("a product is activated while it joins a family: the family is %q, want %q", got, family)
	}
}

// waitForLock runs fn and returns once it has ended or waits for a lock.
func waitForLock(t *testing.T, dsn string, running *sync.WaitGroup, fn func()) {
	t.Helper()
	ended := make(chan struct{})
	running.Go(func() { defer close(ended); fn() })
	const locks = `SELECT locktype FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
	for len(pgtest.Column(t, dsn, locks)) == 0 {
		select {
		case <-ended:
			return
		default:
		}
	}
}
