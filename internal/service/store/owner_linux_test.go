package store_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ativa/internal/service/store"
)

// Files that root creates beside a database belong to the database's owner, so that the service can
// use them (docs/operating.md, Start).
func TestRootLeavesADatabaseToItsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const service = 1234
	path := tempFile(t)
	must(t, open(t, path, store.Options{}).Close())
	files, err := filepath.Glob(path + "*")
	must(t, err)
	for _, file := range files {
		must(t, os.Chown(file, service, service))
	}
	newDatabaseOn(t, path, store.Options{})
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(file)
		must(t, err)
		if got := info.Sys().(*syscall.Stat_t).Uid; got != service {
			t.Errorf("%s belongs to user %d, want %d", filepath.Base(file), got, service)
		}
	}
}
