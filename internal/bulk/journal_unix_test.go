//go:build linux || darwin

package bulk_test

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"ativa/internal/bulk"
)

// limitFiles lets no file of the process grow beyond size until the function
// that it returns is called, as on a full disk: the last write is cut short.
func limitFiles(t *testing.T, size int64) (restore func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limited := before
	limited.Cur = min(limited.Cur, uint64(size))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
		t.Fatal(err)
	}
	restored := false
	restore = func() {
		if !restored {
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
				t.Error(err)
			}
		}
		restored = true
	}
	t.Cleanup(restore)
	return restore
}

// A disk that was full for a moment leaves part of a record. What is written
// when there is room again must not stand behind it.
func TestAJournalGoesOnAfterAShortWrite(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	path := filepath.Join(dir, j.ID()+".jsonl")
	header, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	room := limitFiles(t, header.Size()+20)
	s := &server{}
	fresh, _, err := importAll(t, s, j)
	if err == nil || fresh != 0 {
		t.Fatalf("got %d done, %v, want an error of the disk before anything is sent", fresh, err)
	}
	if cut, err := os.Stat(path); err != nil || cut.Size() <= header.Size() {
		t.Fatalf("the journal has %d bytes, %v, want part of a record behind %d", cut.Size(), err, header.Size())
	}
	room()
	if fresh, _, err = importAll(t, s, j); err != nil || fresh != 1000 {
		t.Fatalf("got %d done, %v, want all when there is room", fresh, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = open(t, dir)
	_, replayed, err := importAll(t, s, j)
	if err != nil || replayed != 1000 {
		t.Errorf("got %d from the journal, %v, want 1,000", replayed, err)
	}
	if err := errors.Join(j.End(bulk.Summary{}), j.Close()); err != nil {
		t.Error(err)
	}
}
