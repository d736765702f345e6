package store_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
)

// SQLite stores any value in a column; a text is not read as a number.
func TestAColumnThatHoldsSomethingElseIsAnError(t *testing.T) {
	path := tempFile(t)
	f, db := newDatabaseOn(t, path, store.Options{})
	f.insert(1, 1)
	for _, change := range []string{`internet_speed_id = 'fast'`, `name = x'00ff'`} {
		execute(t, path, `UPDATE subscriber SET `+change)
		_, _, _, err := db.Subscriber(t.Context(), f.p, f.subscriber(1).Document)
		if err == nil || !strings.Contains(err.Error(), "column") || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%s: got %v, want an error that names the column", change, err)
		}
	}
}

// The end of a context ends a query, and the connection stays usable.
func TestAQueryEndsWithItsContext(t *testing.T) {
	f, db := newDatabaseOn(t, tempFile(t), store.Options{})
	f.insert(1, 3000)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := db.EachSubscriber(ctx, f.p, func(*domain.SubscriberServices) error {
		if n++; n == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after %d subscribers: got %v, want that the context was cancelled", n, err)
	}
	if _, err := db.InternetSpeeds(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: got %v", err)
	}
	for range 20 { // more than there are connections
		f.wantCount(3000)
	}
}

// A write during Close is committed or refused; at the last moment one once waited for ever.
func TestAWriteDuringCloseIsCommittedOrRefused(t *testing.T) {
	t.Parallel()
	for range 20 {
		path := tempFile(t)
		db := open(t, path, store.Options{Exclusive: true})
		p := newFixture(t, db).p
		var writing sync.WaitGroup
		var done atomic.Int64
		for range 8 {
			writing.Go(func() {
				for {
					err := db.Update(context.Background(), p, func(ctx context.Context, tx rules.Tx) error {
						p := tx.Provider()
						p.Limit++
						return tx.SaveProvider(ctx, p)
					})
					if err != nil {
						return
					}
					done.Add(1)
				}
			})
		}
		for done.Load() < 10 {
			runtime.Gosched()
		}
		must(t, db.Close())
		if _, err := db.InternetSpeeds(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("reading: got %v, want that the database is closed", err)
		}
		writing.Wait()
		again := open(t, path, store.Options{})
		found, err := again.ProviderByName(t.Context(), "Provedor")
		if err != nil || int64(found.Limit) != 10+done.Load() {
			t.Errorf("got a limit of %d, %v; %d writes were acknowledged after the 10th", found.Limit, err, done.Load())
		}
		must(t, again.Close())
	}
}
