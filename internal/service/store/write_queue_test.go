package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// heldWriter is a writer that is held up, so that a test decides who waits.
type heldWriter struct {
	t     *testing.T
	db    *store.DB
	let   chan struct{}
	calls sync.WaitGroup
	mu    sync.Mutex
	order []string
}

// holdWriter begins a write of the provider that ends when let is closed.
func holdWriter(t *testing.T, db *store.DB, p domain.ProviderID) *heldWriter {
	w := &heldWriter{t: t, db: db, let: make(chan struct{})}
	w.calls.Go(func() {
		must(t, db.Update(t.Context(), p, func(context.Context, rules.Tx) error { <-w.let; return nil }))
	})
	synctest.Wait()
	return w
}

// submit lets a write wait behind those that wait already.
func (w *heldWriter) submit(ctx context.Context, name string, p domain.ProviderID) {
	w.calls.Go(func() {
		err := w.db.Update(ctx, p, func(context.Context, rules.Tx) error {
			w.note(name)
			return nil
		})
		if err != nil {
			w.t.Errorf("%s: %v", name, err)
		}
	})
	synctest.Wait()
}

func (w *heldWriter) note(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.order = append(w.order, name)
}

// release lets all go on and returns the order in which they came.
func (w *heldWriter) release() string {
	close(w.let)
	w.calls.Wait()
	return strings.Join(w.order, " ")
}

func newProviders(t *testing.T, db *store.DB, n int) (all []domain.ProviderID) {
	for i := range n {
		all = append(all, newProvider(t, db, fmt.Sprint("Provedor ", i)).p)
	}
	return all
}

// Small writes go before bulk ones, which are not starved by them (reliability.md,
// promise 16).
func TestSmallWritesGoFirst(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		p := newProviders(t, db, 2)
		w := holdWriter(t, db, p[0])
		bulk := domain.WithBulk(t.Context())
		for i := range 3 {
			w.submit(bulk, fmt.Sprint("bulk0.", i), p[0])
		}
		w.submit(bulk, "bulk1", p[1])
		for i := range 2*store.GroupSize + 1 {
			w.submit(t.Context(), "small", p[i%2])
		}
		group := strings.Repeat("small ", store.GroupSize)
		// Each bulk write is followed by small ones, which share its commit.
		want := group + "bulk0.0 " + group + "small bulk0.1 bulk0.2 bulk1"
		if got := w.release(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// A provider that fills its queue is refused more; others are not.
func TestAFullQueueIsItsProvidersOwn(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		p := newProviders(t, db, 2)
		w := holdWriter(t, db, p[0])
		for range store.MaxWaiting {
			w.submit(t.Context(), "small0", p[0])
		}
		wantFault(t, db.Update(t.Context(), p[0], nil), "too many writes are waiting")
		w.submit(t.Context(), "small1", p[1])
		w.submit(domain.WithBulk(t.Context()), "bulk0", p[0])
		if got := strings.Fields(w.release()); len(got) != store.MaxWaiting+2 {
			t.Errorf("got %d writes, want all that were not refused", len(got))
		}
	})
}

// A bulk request queues again after each of its transactions, so that another one, of
// whichever provider, and small writes get their turn meanwhile.
func TestBulkRequestsTakeTurns(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		p := newProviders(t, db, 2)
		w := holdWriter(t, db, p[0])
		for i := range 2 {
			w.calls.Go(func() {
				for range 3 {
					must(t, db.Update(domain.WithBulk(t.Context()), p[i], func(context.Context, rules.Tx) error {
						synctest.Wait() // until the other one has queued again
						w.note(fmt.Sprint("bulk", i))
						return nil
					}))
				}
			})
			synctest.Wait()
		}
		if got, want := w.release(), "bulk0 bulk1 bulk0 bulk1 bulk0 bulk1"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// An import with small writes beside it that never end: each chunk of the import
// is followed by those that wait, and the import ends.
func TestNeitherStarves(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	f := newProvider(t, db, "Provedor")
	m := servicetest.New(db, servicetest.Options{})
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for ctx.Err() == nil {
				must(t, db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error { return tx.SaveProvider(ctx, tx.Provider()) }))
			}
		})
	}
	var rows []rules.Registration
	for n := range rules.MaxItems {
		s := f.subscriber(n + 1)
		rows = append(rows, rules.Registration{Fields: rules.Fields{Name: domain.Some(s.Name), Email: domain.Some(s.Email),
			Document: domain.Some(string(s.Document)), Phone: domain.Some(s.Phone)}})
	}
	results, err := m.Import(t.Context(), rules.Call{Provider: f.p}, rows)
	stop()
	clients.Wait()
	if err != nil || len(results) != len(rows) || f.count() != len(rows) {
		t.Errorf("got %d results, %d subscribers, %v", len(results), f.count(), err)
	}
}
