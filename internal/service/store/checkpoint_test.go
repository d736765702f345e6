package store_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/store"
)

// wantLog compares the number of pages in the write-ahead log.
func wantLog(t *testing.T, db *store.DB, what string, ok func(pages, copied int) bool) {
	t.Helper()
	pages, copied, err := db.Log(t.Context())
	if err != nil || !ok(pages, copied) {
		t.Errorf("%s: got %d pages, %d of them copied, %v", what, pages, copied, err)
	}
}

// logLimit is the number of pages at which these tests copy the log.
const logLimit = 60

// inLogFixture runs a test in virtual time on a database whose log is copied early.
func inLogFixture(t *testing.T, test func(*testing.T, *store.DB, *fixture)) {
	t.Helper()
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path, store.Options{})
		defer db.Close()
		db.CheckpointAt(logLimit)
		test(t, db, newFixture(t, db))
	})
}

// fillLog writes more than twice what the log may have.
func (f *fixture) fillLog() {
	f.t.Helper()
	for n := range 20 {
		f.insert(n*100+1, n*100+100)
	}
}

// No commit waits for the copy of the log: the writer continues meanwhile. After the copy the log
// begins anew (reliability.md, promise 16), also if readers always overlap: the next transaction waits
// briefly for them.
func TestACommitDoesNotCopyTheLog(t *testing.T) {
	inLogFixture(t, func(t *testing.T, db *store.DB, f *fixture) {
		release := db.HoldCheckpoints()
		f.fillLog()
		wantLog(t, db, "after commits", func(pages, copied int) bool { return pages > 2*logLimit && copied == 0 })
		done, err := db.Snapshot(t.Context())
		must(t, err)
		time.AfterFunc(3*time.Millisecond, done)
		release()
		synctest.Wait()
		wantLog(t, db, "after the checkpoint", func(pages, copied int) bool { return pages > 2*logLimit && copied == pages })
		f.insert(2001, 2001)
		wantLog(t, db, "after the next commit", func(pages, _ int) bool { return pages < logLimit })
	})
}

// A reader of an old state prevents the copy of the log. After it, the log is copied with the commits
// that follow.
func TestALongReadDelaysTheLogOnlyWhileItRuns(t *testing.T) {
	inLogFixture(t, func(t *testing.T, db *store.DB, f *fixture) {
		done, err := db.Snapshot(t.Context())
		must(t, err)
		f.fillLog()
		synctest.Wait()
		wantLog(t, db, "while somebody reads", func(pages, copied int) bool { return pages > 2*logLimit && copied < pages-logLimit })
		done()
		f.insert(2001, 2200)
		synctest.Wait()
		wantLog(t, db, "afterwards", func(pages, copied int) bool { return copied == pages || pages < logLimit })
		f.insert(2201, 2201)
		wantLog(t, db, "after the next commit", func(pages, _ int) bool { return pages < logLimit })
	})
}
