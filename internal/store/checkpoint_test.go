package store_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/store"
)

// wantLog compares the pages of the write-ahead log with what is expected.
func wantLog(t *testing.T, db *store.DB, what string, ok func(pages, copied int) bool) {
	t.Helper()
	pages, copied, err := db.Log(t.Context())
	if err != nil || !ok(pages, copied) {
		t.Errorf("%s: got %d pages, %d of them copied, %v", what, pages, copied, err)
	}
}

// Nobody who waits for a commit waits for the log to be copied: the writer goes on
// beside it. When all is copied the log begins anew (reliability.md, promise 16).
func TestACommitDoesNotCopyTheLog(t *testing.T) {
	const limit = 60
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		db.CheckpointAt(limit)
		f := newFixture(t, db)
		release := db.HoldCheckpoints()
		for n := range 20 {
			f.insert(n*100+1, n*100+100)
		}
		wantLog(t, db, "after commits", func(pages, copied int) bool { return pages > 2*limit && copied == 0 })
		release()
		synctest.Wait()
		wantLog(t, db, "after the checkpoint", func(pages, copied int) bool { return pages > 2*limit && copied == pages })
		f.insert(2001, 2001)
		wantLog(t, db, "after the next commit", func(pages, _ int) bool { return pages < limit })
	})
}

// Where somebody always reads, the log would never begin anew: the next transaction
// waits a little for those who still read from it.
func TestTheLogBeginsAnewBesideShortReads(t *testing.T) {
	const limit = 60
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		db.CheckpointAt(limit)
		f := newFixture(t, db)
		release := db.HoldCheckpoints()
		for n := range 20 {
			f.insert(n*100+1, n*100+100)
		}
		done, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3*time.Millisecond, done)
		release()
		synctest.Wait()
		f.insert(2001, 2001)
		wantLog(t, db, "after the next commit", func(pages, _ int) bool { return pages < limit })
	})
}

// Somebody who reads an old state keeps the log from being copied, for as long as he
// reads; then it is copied with the commits that follow.
func TestASlowReaderDelaysTheLogOnlyWhileHeReads(t *testing.T) {
	const limit = 60
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		db.CheckpointAt(limit)
		f := newFixture(t, db)
		done, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for n := range 20 {
			f.insert(n*100+1, n*100+100)
		}
		synctest.Wait()
		wantLog(t, db, "while somebody reads", func(pages, copied int) bool { return pages > 2*limit && copied < pages-limit })
		done()
		f.insert(2001, 2200)
		synctest.Wait()
		wantLog(t, db, "afterwards", func(pages, copied int) bool { return copied == pages || pages < limit })
		f.insert(2201, 2201)
		wantLog(t, db, "after the next commit", func(pages, _ int) bool { return pages < limit })
	})
}
