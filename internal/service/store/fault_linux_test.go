package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
)

// breakFile makes every descriptor of a file in this process unreadable. repair reverses this.
func breakFile(t *testing.T, path string) (repair func()) {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	unreadable := filepath.Join(t.TempDir(), "unreadable")
	must(t, errors.Join(os.WriteFile(unreadable, nil, 0o600), os.Truncate(unreadable, info.Size())))
	bad, err := os.OpenFile(unreadable, os.O_WRONLY, 0)
	must(t, err)
	defer bad.Close()
	path, err = filepath.EvalSymlinks(path)
	must(t, err)
	saved := map[int]int{}
	for fd, to := range openFiles(t) {
		if to != path {
			continue
		}
		saved[fd], err = syscall.Dup(fd)
		must(t, errors.Join(err, syscall.Dup3(int(bad.Fd()), fd, syscall.O_CLOEXEC)))
	}
	return func() {
		for fd, good := range saved {
			must(t, errors.Join(syscall.Dup3(good, fd, syscall.O_CLOEXEC), syscall.Close(good)))
		}
	}
}

// openFiles returns the paths of the descriptors of this process.
func openFiles(t *testing.T) map[int]string {
	t.Helper()
	descriptors, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	paths := map[int]string{}
	for _, e := range descriptors {
		fd, err := strconv.Atoi(e.Name())
		must(t, err)
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			paths[fd] = to
		}
	}
	return paths
}

func TestABackupLeavesNoFileOpen(t *testing.T) {
	path := tempFile(t)
	must(t, open(t, path, store.Options{}).Close())
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, store.Backup(t.Context(), dsnOf(path), filepath.Join(dir, "copy.db")))
	for _, to := range openFiles(t) {
		if strings.HasPrefix(to, dir) {
			t.Errorf("%s is still open", to)
		}
	}
}

// A file cannot be read: the list ends with a named fault, and is complete when the disk works again.
func TestAnUnreadableFileEndsAListWithANamedFault(t *testing.T) {
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	newFixture(t, db).insert(1, 3000)
	must(t, db.Close())
	db = open(t, path, store.Options{Exclusive: true})
	defer db.Close()
	list := func() (n int, err error) {
		err = db.EachSubscriber(t.Context(), 1, func(*domain.SubscriberServices) error { n++; return nil })
		return n, err
	}
	_, err := db.InternetSpeeds(t.Context()) // a reader has the file open, and has not read the subscribers
	must(t, err)
	repair := breakFile(t, path)
	n, err := list()
	repair()
	if fault := store.Fault(err); fault == nil || !strings.Contains(fault.Message, "cannot be read or written now") {
		t.Errorf("got %d subscribers and %v, want a named fault", n, err)
	}
	if n, err := list(); n != 3000 || err != nil {
		t.Errorf("after the fault: got %d subscribers, %v", n, err)
	}
}
