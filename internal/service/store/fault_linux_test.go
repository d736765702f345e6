package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
)

// breakFile makes every descriptor of a file that this process has lead to
// something else, and returns what mends them.
func breakFile(t *testing.T, path, other string, flag int) (mend func()) {
	t.Helper()
	bad, err := os.OpenFile(other, flag, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer bad.Close()
	saved := map[int]int{}
	for _, fd := range descriptors(t, path) {
		if saved[fd], err = syscall.Dup(fd); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(int(bad.Fd()), fd, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
	}
	if len(saved) == 0 {
		t.Fatalf("%s is not open: nothing was broken", path)
	}
	return func() {
		for fd, good := range saved {
			if err := errors.Join(syscall.Dup3(good, fd, syscall.O_CLOEXEC), syscall.Close(good)); err != nil {
				t.Error(err)
			}
		}
		clear(saved)
	}
}

// descriptors are those of this process that lead to a file.
func descriptors(t *testing.T, path string) (all []int) {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && to == path {
			all = append(all, fd)
		}
	}
	return all
}

// A log that takes writes and cannot be brought to the disk (fsync fails), and
// one that cannot be written at all: nothing of it is acknowledged, and once
// the disk is well again so is the service, without a restart.
func TestALogThatCannotBeWritten(t *testing.T) {
	directory := t.TempDir()
	for name, other := range map[string]struct {
		path string
		flag int
	}{"fsync fails": {os.DevNull, os.O_RDWR}, "writing fails": {directory, os.O_RDONLY}} {
		t.Run(name, func(t *testing.T) {
			path := tempFile(t)
			db := open(t, path, store.Options{Exclusive: true})
			f := newFixture(t, db)
			f.insert(1, 10)
			mend := breakFile(t, path+"-wal", other.path, other.flag)
			for n := 11; n <= 13; n++ {
				wantFault(t, f.insertOne(n), "cannot be read or written now")
			}
			mend()
			if got := f.count(); got != 10 {
				t.Errorf("got %d subscribers, want the 10 that were acknowledged", got)
			}
			if err := f.insertOne(14); err != nil {
				t.Errorf("after the fault: %v", err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if found, err := store.Check(t.Context(), dsnOf(path)); err != nil || len(found) > 0 {
				t.Errorf("got %v, %v, want a database without faults", found, err)
			}
			again := open(t, path, store.Options{Exclusive: true})
			defer again.Close()
			f.db = again
			if got := f.count(); got != 11 {
				t.Errorf("after a restart: got %d subscribers, want the 11 that were acknowledged", got)
			}
		})
	}
}

// A file that cannot be read: the list is broken off with a named fault and is
// whole again when the disk is.
func TestAFileThatCannotBeRead(t *testing.T) {
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	newFixture(t, db).insert(1, 3000)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, store.Options{Exclusive: true})
	defer db.Close()
	list := func() (n int, err error) {
		err = db.EachSubscriber(t.Context(), 1, func(*domain.SubscriberServices) error { n++; return nil })
		return n, err
	}
	if _, err := db.InternetSpeeds(t.Context()); err != nil { // a reader has the file open, and has not read the subscribers
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	unreadable := filepath.Join(t.TempDir(), "unreadable")
	if err := errors.Join(os.WriteFile(unreadable, nil, 0o600), os.Truncate(unreadable, info.Size())); err != nil {
		t.Fatal(err)
	}
	mend := breakFile(t, path, unreadable, os.O_WRONLY)
	n, err := list()
	mend()
	if fault := store.Fault(err); fault == nil || !strings.Contains(fault.Message, "cannot be read or written now") {
		t.Errorf("got %d subscribers and %v, want a named fault", n, err)
	}
	if n, err := list(); n != 3000 || err != nil {
		t.Errorf("after the fault: got %s", fmt.Sprint(n, err))
	}
}
