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

// heldWriter blocks the writer of a database, so that a test controls what waits. The held write is of its
// provider.
type heldWriter struct {
	*fixture
	other *fixture // another provider
	bulk  context.Context
	leave func() error
	calls sync.WaitGroup
	order []string // of the writes that ran; only the writer changes it
}

// withHeldWriter runs a test in virtual time.
func withHeldWriter(t *testing.T, test func(w *heldWriter)) {
	t.Helper()
	inVirtualTime(t, func(f *fixture) {
		w := &heldWriter{fixture: f, other: newProvider(f.t, f.db, "Verde"), bulk: domain.WithBulk(f.t.Context())}
		w.leave = f.holdWrites(f.t.Context())
		test(w)
	})
}

// start calls fn, which waits for the writer.
func (w *heldWriter) start(fn func()) {
	w.calls.Go(fn)
	synctest.Wait()
}

// submit queues a write.
func (w *heldWriter) submit(ctx context.Context, name string, of *fixture) {
	w.start(func() {
		must(w.t, w.db.Update(ctx, of.p, func(context.Context, rules.Tx) error { w.order = append(w.order, name); return nil }))
	})
}

// release unblocks the writer and returns the order in which the writes ran.
func (w *heldWriter) release() string {
	must(w.t, w.leave())
	w.calls.Wait()
	return strings.Join(w.order, " ")
}

// Small writes go before bulk ones, which are not starved by them (docs/reliability.md).
func TestSmallWritesGoFirst(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter) {
		for i := range 3 {
			w.submit(w.bulk, fmt.Sprint("bulk0.", i), w.fixture)
		}
		w.submit(w.bulk, "bulk1", w.other)
		for i := range 2*store.GroupSize + 1 {
			w.submit(w.t.Context(), "small", []*fixture{w.fixture, w.other}[i%2])
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
	withHeldWriter(t, func(w *heldWriter) {
		refused := errors.New("refused")
		var transactions []rules.Tx
		for n := range store.BulkGroupSize + 1 {
			w.start(func() {
				err := w.db.Update(w.bulk, w.p, func(ctx context.Context, tx rules.Tx) error {
					transactions = append(transactions, tx)
					if _, err := tx.InsertSubscribers(ctx, []domain.Subscriber{w.subscriber(n + 1)}); err != nil || n != 1 {
						return err
					}
					return refused
				})
				if want := n == 1; errors.Is(err, refused) != want || err != nil && !want {
					w.t.Errorf("write %d: %v", n, err)
				}
			})
		}
		w.release()
		first := slices.Repeat(transactions[:1], store.BulkGroupSize)
		if last := len(first); !slices.Equal(transactions[:last], first) || transactions[last] == first[0] {
			w.t.Errorf("transactions %p, want %d writes in the first", transactions, last)
		}
		w.wantCount(store.BulkGroupSize)
	})
}

// Emptying the log after a purge must run between transactions, so it joins none, not even one that
// holds a worker's bulk write.
func TestEmptyingTheLogJoinsNoTransaction(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter) {
		w.start(func() { must(w.t, w.db.AddRecord(w.bulk, domain.RecordEntry{})) })
		w.start(func() { must(w.t, w.db.Purge(w.bulk, domain.RetentionCutoffs{})) })
		w.release()
	})
}

// A provider with a full queue is refused further small writes; other providers are not.
func TestAFullQueueIsItsProvidersOwn(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter) {
		for range store.MaxWaiting {
			w.submit(w.t.Context(), "small0", w.fixture)
		}
		wantFault(w.t, w.db.Update(w.t.Context(), w.p, nil), "too many writes are waiting")
		w.submit(w.t.Context(), "small1", w.other)
		w.submit(w.bulk, "bulk0", w.fixture)
		if got := strings.Fields(w.release()); len(got) != store.MaxWaiting+2 {
			w.t.Errorf("got %d writes, want all that were not refused", len(got))
		}
	})
}

// A bulk request queues again after each of its transactions, so that another one, of
// whichever provider, and small writes get their turn meanwhile. Each learns whether others wait.
func TestBulkRequestsTakeTurns(t *testing.T) {
	withHeldWriter(t, func(w *heldWriter) {
		for i, of := range []*fixture{w.fixture, w.other} {
			w.start(func() {
				for range 3 {
					must(w.t, w.db.Update(w.bulk, of.p, func(_ context.Context, tx rules.Tx) error {
						synctest.Wait() // until the other one has queued again
						w.order = append(w.order, fmt.Sprint("bulk", i, " ", tx.OthersWait()))
						return nil
					}))
				}
			})
		}
		if got, want := w.release(), "bulk0 true bulk1 true bulk0 true bulk1 true bulk0 true bulk1 false"; got != want {
			w.t.Errorf("got %s, want %s", got, want)
		}
	})
}
