package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
)

// heldWriter blocks the writer of a database, so that a test controls what waits.
type heldWriter struct {
	t     *testing.T
	db    *store.DB
	let   chan struct{}
	calls sync.WaitGroup
	mu    sync.Mutex
	order []string
}

// withHeldWriter runs a test in virtual time with two providers. A write of the first one has begun
// and ends when let is closed.
func withHeldWriter(t *testing.T, test func(w *heldWriter, p [2]domain.ProviderID)) {
	t.Helper()
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		p := [2]domain.ProviderID{newProvider(t, db, "Azul").p, newProvider(t, db, "Verde").p}
		w := &heldWriter{t: t, db: db, let: make(chan struct{})}
		w.calls.Go(func() {
			must(t, db.Update(t.Context(), p[0], func(context.Context, rules.Tx) error { <-w.let; return nil }))
		})
		synctest.Wait()
		test(w, p)
	})
}

// submit queues a write.
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

// release unblocks the writer and returns the order in which the writes ran.
func (w *heldWriter) release() string {
	close(w.let)
	w.calls.Wait()
	return strings.Join(w.order, " ")
}

// Small writes go before bulk ones, which are not starved by them (reliability.md,
// promise 16).
func TestSmallWritesGoFirst(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter, p [2]domain.ProviderID) {
		bulk := domain.WithBulk(w.t.Context())
		for i := range 3 {
			w.submit(bulk, fmt.Sprint("bulk0.", i), p[0])
		}
		w.submit(bulk, "bulk1", p[1])
		for i := range 2*store.GroupSize + 1 {
			w.submit(w.t.Context(), "small", p[i%2])
		}
		group := strings.Repeat("small ", store.GroupSize)
		// Each bulk write is followed by small ones, which share its commit.
		want := group + "bulk0.0 " + group + "small bulk0.1 bulk0.2 bulk1"
		if got := w.release(); got != want {
			w.t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// Bulk writes of one provider share a transaction while nothing else waits, and a refused one is undone
// alone.
func TestBulkWritesShareATransaction(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter, p [2]domain.ProviderID) {
		f, refused := &fixture{w.t, w.db, p[0]}, errors.New("refused")
		var transactions []rules.Tx
		for n := range store.BulkGroupSize + 1 {
			w.calls.Go(func() {
				err := w.db.Update(domain.WithBulk(w.t.Context()), f.p, func(ctx context.Context, tx rules.Tx) error {
					transactions = append(transactions, tx)
					if _, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(n + 1)}); err != nil || n != 1 {
						return err
					}
					return refused
				})
				if want := n == 1; errors.Is(err, refused) != want || err != nil && !want {
					w.t.Errorf("write %d: %v", n, err)
				}
			})
			synctest.Wait()
		}
		w.release()
		first := slices.Repeat(transactions[:1], store.BulkGroupSize)
		if last := len(first); !slices.Equal(transactions[:last], first) || transactions[last] == first[0] {
			w.t.Errorf("transactions %p, want %d writes in the first", transactions, last)
		}
		f.wantCount(store.BulkGroupSize)
	})
}

// Emptying the log after a purge must run between transactions, so it joins none, not even one that
// holds a worker's bulk write.
func TestEmptyingTheLogJoinsNoTransaction(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter, _ [2]domain.ProviderID) {
		ctx := domain.WithBulk(w.t.Context())
		for _, wait := range []func() error{
			func() error { return w.db.AddRecord(ctx, domain.RecordEntry{}) },
			func() error { return w.db.Purge(ctx, domain.RetentionCutoffs{}) },
		} {
			w.calls.Go(func() { must(w.t, wait()) })
			synctest.Wait()
		}
		w.release()
	})
}

// A provider with a full queue is refused further small writes; other providers are not.
func TestAFullQueueIsItsProvidersOwn(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter, p [2]domain.ProviderID) {
		for range store.MaxWaiting {
			w.submit(w.t.Context(), "small0", p[0])
		}
		wantFault(w.t, w.db.Update(w.t.Context(), p[0], nil), "too many writes are waiting")
		w.submit(w.t.Context(), "small1", p[1])
		w.submit(domain.WithBulk(w.t.Context()), "bulk0", p[0])
		if got := strings.Fields(w.release()); len(got) != store.MaxWaiting+2 {
			w.t.Errorf("got %d writes, want all that were not refused", len(got))
		}
	})
}

// A bulk request queues again after each of its transactions, so that another one, of
// whichever provider, and small writes get their turn meanwhile. Each learns whether others wait.
func TestBulkRequestsTakeTurns(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter, p [2]domain.ProviderID) {
		for i := range 2 {
			w.calls.Go(func() {
				for range 3 {
					must(w.t, w.db.Update(domain.WithBulk(w.t.Context()), p[i], func(_ context.Context, tx rules.Tx) error {
						synctest.Wait() // until the other one has queued again
						w.note(fmt.Sprint("bulk", i, " ", tx.OthersWait()))
						return nil
					}))
				}
			})
			synctest.Wait()
		}
		if got, want := w.release(), "bulk0 true bulk1 true bulk0 true bulk1 true bulk0 true bulk1 false"; got != want {
			w.t.Errorf("got %s, want %s", got, want)
		}
	})
}
