package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
)

// A file of the open database is deleted, renamed or replaced: no further write is acknowledged,
// acknowledged data stays readable, and writes continue without a restart when the file is back.
func TestNothingIsAcknowledgedWhileAFileIsMissing(t *testing.T) {
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
		for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
			t.Run("ativa.db"+suffix+" "+name, func(t *testing.T) {
				path := tempFile(t)
				f, db := newDatabaseOn(t, path, store.Options{Exclusive: true})
				f.insert(1, 10)
				must(t, db.Ready(t.Context()))
				info, err := os.Stat(path + suffix)
				if err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("got %v, %v, want a file of the owner alone", info, err)
				}
				back := take(t, path+suffix)
				wantFault(t, f.insertOne(11), filepath.Base(path)+suffix+" was deleted, renamed or replaced")
				wantFault(t, db.Ready(t.Context()), filepath.Base(path)+suffix)
				f.wantCount(10)
				if suffix != "" { // a kill would leave only the database
					f.wantCountIn(copyToTemp(t, path), 10)
				}
				if back == nil {
					return
				}
				must(t, errors.Join(back(), f.insertOne(12), db.Ready(t.Context())))
				f.wantCount(11)
			})
		}
	}
}

// A write whose file is deleted meanwhile is not acknowledged.
func TestAWriteWhoseFileIsDeletedIsNotAcknowledged(t *testing.T) {
	path := tempFile(t)
	f, _ := newDatabaseOn(t, path, store.Options{Exclusive: true})
	wantFault(t, f.db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
		return errors.Join(tx.SaveProvider(ctx, tx.Provider()), os.Remove(path+"-wal"))
	}), "ativa.db-wal was deleted")
}

// A log that another program empties ends all writing: SQLite would go on, and the end of the process
// would lose what it writes.
func TestAnEmptiedLogEndsWriting(t *testing.T) {
	path := tempFile(t)
	f, db := newDatabaseOn(t, path, store.Options{Exclusive: true})
	f.insert(1, 100)
	must(t, os.Truncate(path+"-wal", 0))
	for n := range 2 {
		if err := f.insertOne(101 + n); err == nil {
			t.Error("a write was acknowledged")
		}
		if err := db.Ready(t.Context()); err == nil {
			t.Error("the server is ready")
		}
	}
}

// wantContent checks that a file is still what was written to it.
func wantContent(t *testing.T, path string, want []byte) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s was changed: %v", filepath.Base(path), err)
	}
}

// withBackup returns a database of 500 subscribers, and the content of a backup of its first ten.
func withBackup(t *testing.T) (f *fixture, path string, backup []byte) {
	t.Helper()
	path, to := tempFile(t), filepath.Join(t.TempDir(), "backup.db")
	f = newFixture(t, open(t, path, store.Options{Exclusive: true}))
	f.insert(1, 10)
	must(t, store.Backup(t.Context(), dsnOf(path), to))
	f.insert(11, 500)
	backup, err := os.ReadFile(to)
	must(t, err)
	return f, path, backup
}

// A database is moved away from the log that a kill left, which a start on a new one would make useless,
// or is replaced by a backup: nothing is begun, the backup stays intact, and everything is there when the
// database is back.
func TestADatabaseIsNotBegunBesideTheLogOfAnother(t *testing.T) {
	f, path, backup := withBackup(t)
	killed := copyToTemp(t, path)
	must(t, os.Rename(copyToTemp(t, path+"-wal"), killed+"-wal"))
	must(t, errors.Join(f.db.Close(), os.Rename(killed, killed+".moved")))
	serve := func() error {
		_, err := store.Open(t.Context(), dsnOf(killed), store.Options{Exclusive: true})
		return err
	}
	wantNamed := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), killed+"-wal "+want) {
			t.Errorf("%s: got %v, want an error that names the log", what, err)
		}
	}
	for range 2 {
		wantNamed("serve", serve(), "has no database")
	}
	if link := filepath.Join(t.TempDir(), "link.db"); os.Symlink(killed, link) == nil { // which Windows may refuse
		_, err := store.Open(t.Context(), dsnOf(link), store.Options{Exclusive: true})
		wantNamed("serve by a link", err, "has no database")
	}
	must(t, os.WriteFile(killed, backup, 0o600))
	_, err := store.Check(t.Context(), dsnOf(killed))
	for what, err := range map[string]error{"serve": serve(), "check": err, "backup": store.Backup(t.Context(), dsnOf(killed), tempFile(t))} {
		wantNamed(what, err, "beside it is of another database")
	}
	wantContent(t, killed, backup)
	must(t, os.Rename(killed+".moved", killed))
	f.wantCountIn(killed, 500)
}

// A backup is copied over the file of a running server, whose log is about to be copied into the file:
// the server does not copy it, and acknowledges and reads nothing more. Its end leaves the backup
// unchanged.
func TestTheLogIsNotCopiedIntoABackup(t *testing.T) {
	f, path, backup := withBackup(t)
	leave, purged := f.holdWrites(t.Context()), make(chan error)
	go func() { purged <- f.db.Purge(t.Context(), domain.RetentionCutoffs{}) }()
	for f.db.WaitingWrites() == 0 {
		runtime.Gosched()
	}
	must(t, os.WriteFile(path, backup, 0o600))
	written, emptied := leave(), <-purged
	_, read := f.db.CountSubscribers(t.Context(), f.p)
	for _, err := range []error{written, emptied, read, f.insertOne(501), f.db.Ready(t.Context())} {
		wantFault(t, err, "ativa.db was deleted, renamed or replaced")
	}
	must(t, f.db.Close())
	wantContent(t, path, backup)
}

// While a file is copied over the database, its header is that of the one, then of the other: reads
// fail or not, and keep no connection.
func TestReadsWhileTheHeaderChanges(t *testing.T) {
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	f := newFixture(t, db)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	reading, stop := context.WithCancel(t.Context())
	var copying sync.WaitGroup
	copying.Go(func() {
		for reading.Err() == nil {
			for _, version := range []byte{1, 2} { // without a log, and with one
				_, err := file.WriteAt([]byte{version}, 18)
				must(t, err)
			}
		}
	})
	for range 20_000 {
		_, _ = db.CountSubscribers(t.Context(), f.p)
	}
	stop()
	copying.Wait()
	must(t, errors.Join(file.Close(), db.Close()))
}

// A symbolic link is followed for the database and for the files beside it: the log, and the lock
// that excludes a second server.
func TestASymbolicLinkIsFollowedForAllFilesOfADatabase(t *testing.T) {
	for _, state := range []string{"there", "new"} {
		t.Run(state, func(t *testing.T) {
			path, link := tempFile(t), filepath.Join(t.TempDir(), "link.db")
			if err := os.Symlink(path, link); err != nil {
				t.Skip(err) // not every user may on Windows
			}
			if state == "there" {
				must(t, open(t, path, store.Options{Exclusive: true}).Close())
			}
			db := open(t, link, store.Options{Exclusive: true})
			f := newFixture(t, db)
			f.insert(1, 10)
			if _, err := store.Open(t.Context(), dsnOf(path), store.Options{Exclusive: true}); !errors.Is(err, store.ErrInUse) {
				t.Errorf("a server at the file itself: got %v, want a refusal", err)
			}
			wantNoFindings(t, dsnOf(link))
			must(t, errors.Join(os.Rename(path+"-wal", path+"-old"), os.WriteFile(path+"-wal", nil, 0o600)))
			wantFault(t, f.insertOne(11), "ativa.db-wal was deleted")
			must(t, db.Close())
			if made, err := os.ReadDir(filepath.Dir(link)); err != nil || len(made) != 1 {
				t.Errorf("got %v, %v, want the link alone", made, err)
			}
		})
	}
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
