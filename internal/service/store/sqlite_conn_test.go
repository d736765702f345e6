package store_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
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

// The end of a context ends a list, which has read only a few subscribers ahead, and the connection
// stays usable.
func TestAListEndsWithItsContext(t *testing.T) {
	f, db := newDatabaseOn(t, pgtest.DSN(t), store.Options{Exclusive: true})
	const all = 10_000
	f.insert(1, all)
	f.wantFound("assinante", all) // the index is there
	for _, matches := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		fn := func(*domain.SubscriberServices) error { cancel(); return ctx.Err() }
		rows, _, err := store.RowsOf(t.Context(), db, func() (err error) {
			if matches {
				err = db.EachMatch(ctx, f.p, searchTerm(t, "assinante"), fn)
			} else {
				err = db.EachSubscriber(ctx, f.p, fn)
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("matches %t: got %v, want that the context was cancelled", matches, err)
			}
			return nil
		})
		if err != nil || rows > all/2 {
			t.Errorf("matches %t: got %d rows, %v, want a few batches", matches, rows, err)
		}
	}
	for range 20 { // more than there are connections
		f.wantCount(all)
	}
}

// A write during Close is committed or refused; at the last moment one once waited for ever. A purge,
// too, uses no connection that is closed, and leaves none open: the last one removes the log.
func TestAWriteDuringCloseIsCommittedOrRefused(t *testing.T) {
	t.Parallel()
	for range 20 {
		path := tempFile(t)
		f := newFixture(t, open(t, path, store.Options{Exclusive: true}))
		var writing sync.WaitGroup
		var begun, done atomic.Int64
		for range 8 {
			writing.Go(func() {
				for n := int(begun.Add(1)); f.store(n, f.subscriber(n)) == nil; n = int(begun.Add(1)) {
					done.Add(1)
				}
			})
		}
		writing.Go(func() {
			for f.db.Purge(context.Background(), domain.RetentionCutoffs{}) == nil {
				runtime.Gosched()
			}
		})
		for done.Load() < 10 {
			runtime.Gosched()
		}
		must(t, f.db.Close())
		if _, err := f.db.InternetSpeeds(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("reading: got %v, want that the database is closed", err)
		}
		writing.Wait()
		if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want no log", err)
		}
		f.wantCountIn(path, int(done.Load()))
	}
}
