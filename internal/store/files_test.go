package store_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"ativa/internal/provision"
	"ativa/internal/store"
)

// A file of the database that was deleted, renamed or replaced while it is
// open: no further write is acknowledged, what was acknowledged is read on, and
// when the file is put back writes go on without a restart.
func TestFilesThatAreTakenAway(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, path string) (back func() error){
		"deleted": func(t *testing.T, path string) func() error { must(t, os.Remove(path)); return nil },
		"replaced": func(t *testing.T, path string) func() error {
			must(t, os.Rename(copyToTemp(t, path), path))
			return nil
		},
		"renamed": func(t *testing.T, path string) func() error {
			must(t, os.Rename(path, path+".old"))
			return func() error { return os.Rename(path+".old", path) }
		},
	} {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			t.Run("ativa.db"+suffix+" "+name, func(t *testing.T) {
				path := tempFile(t)
				db := open(t, path, store.Options{Exclusive: true})
				defer db.Close()
				f := newFixture(t, db)
				f.insert(1, 10)
				must(t, db.Ready(t.Context()))
				back := take(t, path+suffix)
				wantFault(t, f.insertOne(11), filepath.Base(path)+suffix+" was deleted, renamed or replaced")
				wantFault(t, db.Ready(t.Context()), filepath.Base(path)+suffix)
				if got := f.count(); got != 10 {
					t.Errorf("got %d subscribers, want the 10 that were acknowledged", got)
				}
				if suffix != "" { // a kill would leave nothing but the database
					left := open(t, copyToTemp(t, path), store.Options{Exclusive: true})
					if got := (&fixture{t, left, f.p}).count(); got != 10 {
						t.Errorf("without the other files: got %d subscribers, want the 10 that were acknowledged", got)
					}
					must(t, left.Close())
				}
				if back == nil {
					return
				}
				must(t, errors.Join(back(), f.insertOne(12), db.Ready(t.Context())))
				if got := f.count(); got != 11 {
					t.Errorf("after it was put back: got %d subscribers, want 11", got)
				}
			})
		}
	}
}

// A file that goes while a write is under way: the write is not acknowledged.
func TestAFileThatIsTakenAwayDuringAWrite(t *testing.T) {
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	defer db.Close()
	f := newFixture(t, db)
	wantFault(t, f.db.Update(t.Context(), f.p, func(ctx context.Context, tx provision.Tx) error {
		return errors.Join(tx.SaveProvider(ctx, tx.Provider()), os.Remove(path+"-wal"))
	}), "ativa.db-wal was deleted")
}

// copyToTemp copies one file into a directory of its own.
func copyToTemp(t *testing.T, path string) string {
	t.Helper()
	from, err := os.Open(path)
	must(t, err)
	defer from.Close()
	to, err := os.Create(filepath.Join(t.TempDir(), filepath.Base(path)))
	must(t, err)
	_, err = io.Copy(to, from)
	must(t, errors.Join(err, to.Close()))
	return to.Name()
}
