package store_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/store"
)

// wantLog compares the number of pages in the write-ahead log.
func (f *fixture) wantLog(what string, ok func(pages, copied int) bool) {
	f.t.Helper()
	pages, copied, err := f.db.Log(f.t.Context())
	if err != nil || !ok(pages, copied) {
		f.t.Errorf("%s: got %d pages, %d of them copied, %v", what, pages, copied, err)
	}
}

// logLimit is the number of pages at which these tests copy the log.
const logLimit = 60

// inVirtualTime runs a test in virtual time on a new file.
func inVirtualTime(t *testing.T, test func(*fixture)) {
	t.Helper()
	path := tempFile(t)
	synctest.Test(t, func(t *testing.T) {
		f, _ := newDatabaseOn(t, path, store.Options{})
		synctest.Wait() // the writer waits, and a test may change its limits
		test(f)
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
// begins anew (docs/reliability.md), also if readers always overlap: the next transaction waits
// briefly for them.
func TestACommitDoesNotCopyTheLog(t *testing.T) {
	inVirtualTime(t, func(f *fixture) {
		f.db.CheckpointAt(logLimit)
		release := f.db.HoldCheckpoints()
		f.fillLog()
		f.wantLog("after commits", func(pages, copied int) bool { return pages > 2*logLimit && copied == 0 })
		done, err := f.db.Snapshot(f.t.Context())
		must(f.t, err)
		time.AfterFunc(3*time.Millisecond, done)
		release()
		synctest.Wait()
		f.wantLog("after the checkpoint", func(pages, copied int) bool { return pages > 2*logLimit && copied == pages })
		f.insert(2001, 2001)
		f.wantLog("after the next commit", func(pages, _ int) bool { return pages < logLimit })
	})
}

// A reader of an old state prevents the copy of the log. After it, the log is copied with the commits
// that follow.
func TestALongReadDelaysTheLogOnlyWhileItRuns(t *testing.T) {
	inVirtualTime(t, func(f *fixture) {
		f.db.CheckpointAt(logLimit)
		done, err := f.db.Snapshot(f.t.Context())
		must(f.t, err)
		f.fillLog()
		synctest.Wait()
		f.wantLog("while somebody reads", func(pages, copied int) bool { return pages > 2*logLimit && copied < pages-logLimit })
		done()
		f.insert(2001, 2200)
		synctest.Wait()
		f.wantLog("afterwards", func(pages, copied int) bool { return copied == pages || pages < logLimit })
		f.insert(2201, 2201)
		f.wantLog("after the next commit", func(pages, _ int) bool { return pages < logLimit })
	})
}
