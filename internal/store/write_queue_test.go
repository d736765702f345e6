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

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
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

// holdWriter begins a write of the provider that goes on when let is closed.
func holdWriter(t *testing.T, db *store.DB, p provision.ProviderID) *heldWriter {
	w := &heldWriter{t: t, db: db, let: make(chan struct{})}
	w.calls.Go(func() {
		must(t, db.Update(t.Context(), p, func(context.Context, provision.Tx) error { <-w.let; return nil }))
	})
	synctest.Wait()
	return w
}

// submit lets a write wait behind those that wait already.
func (w *heldWriter) submit(name string, p provision.ProviderID, priority provision.Priority, fn func(provision.Tx) error) {
	w.calls.Go(func() {
		ctx := provision.WithPriority(w.t.Context(), priority)
		err := w.db.Update(ctx, p, func(_ context.Context, tx provision.Tx) error {
			w.note(name)
			if fn != nil {
				return fn(tx)
			}
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

func newProviders(t *testing.T, db *store.DB, n int) (all []provision.ProviderID) {
	for i := range n {
		all = append(all, newProvider(t, db, fmt.Sprint("Provedor ", i)).p)
	}
	return all
}

// Small writes take turns between providers and go before large ones, which do,
// too; what nobody waits for comes last (reliability.md, promise 16).
func TestWritesTakeTurns(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		p := newProviders(t, db, 3)
		w := holdWriter(t, db, p[0])
		w.submit("background", p[2], provision.PriorityBackground, nil)
		for i := range 2 {
			w.submit(fmt.Sprint("large0.", i), p[0], provision.PriorityLarge, nil)
		}
		w.submit("large1", p[1], provision.PriorityLarge, nil)
		for i := range 3 {
			w.submit(fmt.Sprint("small0.", i), p[0], provision.PrioritySmall, nil)
		}
		w.submit("small1", p[1], provision.PrioritySmall, nil)
		w.submit("small2", p[2], provision.PrioritySmall, nil)
		const want = "small0.0 small1 small2 small0.1 small0.2 large0.0 large1 large0.1 background"
		if got := w.release(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// Background writes are not starved by an import without end.
func TestBackgroundWritesGetATurn(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		p := newProviders(t, db, 1)
		w := holdWriter(t, db, p[0])
		w.submit("background", p[0], provision.PriorityBackground, nil)
		for range 20 {
			w.submit("large", p[0], provision.PriorityLarge, nil)
		}
		if at := slices.Index(strings.Fields(w.release()), "background"); at != store.BackgroundEvery {
			t.Errorf("it came after %d large ones, want %d", at, store.BackgroundEvery)
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
			w.submit("small0", p[0], provision.PrioritySmall, nil)
		}
		wantFault(t, db.Update(t.Context(), p[0], nil), "too many writes are waiting")
		w.submit("small1", p[1], provision.PrioritySmall, nil)
		w.submit("large0", p[0], provision.PriorityLarge, nil)
		if got := strings.Fields(w.release()); len(got) != store.MaxWaiting+2 || got[1] != "small1" {
			t.Errorf("got %d writes, the second of them %s", len(got), got[1])
		}
	})
}

// A large write is asked to end when its time is up and a small one waits, or
// another provider's large one: then those come first.
func TestALargeWriteYieldsToOthers(t *testing.T) {
	for _, c := range []struct {
		name     string
		provider int
		priority provision.Priority
		yields   bool
	}{
		{"a small one of the same provider", 0, provision.PrioritySmall, true},
		{"a small one of another", 1, provision.PrioritySmall, true},
		{"a large one of another", 1, provision.PriorityLarge, true},
		{"a large one of the same provider", 0, provision.PriorityLarge, false},
		{"a background one", 1, provision.PriorityBackground, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := tempFile(t)
			synctest.Test(t, func(t *testing.T) {
				db := open(t, path, store.Options{})
				defer db.Close()
				db.SliceIsUp()
				p := newProviders(t, db, 2)
				w := holdWriter(t, db, p[0])
				w.submit("part1", p[0], provision.PriorityLarge, func(tx provision.Tx) error {
					if tx.ShouldYield() {
						return errors.New("it yields although nobody waits")
					}
					w.submit("other", p[c.provider], c.priority, nil)
					if got := tx.ShouldYield(); got != c.yields {
						return fmt.Errorf("got %t, want %t", got, c.yields)
					}
					w.submit("part2", p[0], provision.PriorityLarge, nil)
					return nil
				})
				want := "part1 other part2"
				if c.priority == provision.PriorityBackground {
					want = "part1 part2 other"
				}
				if got := w.release(); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		})
	}
}

// Small writes for which a commit has no more time wait for the next, in their
// order, and each is done once.
func TestACommitIsBoundedByTime(t *testing.T) {
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		p := newProviders(t, db, 2)
		w := holdWriter(t, db, p[0])
		db.SliceIsUp()
		for i := range 3 {
			w.submit(fmt.Sprint("small", i), p[0], provision.PrioritySmall, nil)
		}
		w.submit("other", p[1], provision.PrioritySmall, nil)
		w.submit("large", p[1], provision.PriorityLarge, nil)
		if got, want := w.release(), "small0 large other small1 small2"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// An import with small writes beside it that never end: each part of the import
// is followed by those that wait, and the import ends.
func TestNeitherStarves(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	db.SliceIsUp()
	f := newProvider(t, db, "Provedor")
	m := provision.NewManager(db, provision.Options{})
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for ctx.Err() == nil {
				must(t, db.Update(t.Context(), f.p, func(ctx context.Context, tx provision.Tx) error { return tx.SaveProvider(ctx, tx.Provider()) }))
			}
		})
	}
	var rows []provision.Registration
	for n := range provision.MaxItems {
		s := f.subscriber(n + 1)
		rows = append(rows, provision.Registration{Fields: provision.Fields{Name: provision.Some(s.Name), Email: provision.Some(s.Email),
			Document: provision.Some(string(s.Document)), Phone: provision.Some(s.Phone)}})
	}
	results, err := m.Import(t.Context(), provision.Call{Provider: f.p}, rows)
	stop()
	clients.Wait()
	if err != nil || len(results) != len(rows) || f.count() != len(rows) {
		t.Errorf("got %d results, %d subscribers, %v", len(results), f.count(), err)
	}
}
