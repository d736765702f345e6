package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

func open(t *testing.T, dsn string, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), dsn, o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// fresh opens a new database of the engine under test.
func fresh(t *testing.T, o store.Options) *store.DB {
	t.Helper()
	return open(t, pgtest.DSN(t), o)
}

// file is for the tests of SQLite's file.
func file(t *testing.T) string { return filepath.Join(t.TempDir(), "ativa.db") }

func TestOnlyOneServerOpensAFile(t *testing.T) {
	path := file(t)
	first := open(t, path, store.Options{Exclusive: true})
	_, err := store.Open(t.Context(), path, store.Options{Exclusive: true})
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("second server: got %v, want an error that names the file and the other server", err)
	}
	beside := open(t, path, store.Options{}) // the operator's commands
	if err := beside.Close(); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, store.Options{Exclusive: true})
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// A mistyped kind of database is no new file of that name, and a password in
// what was meant to be a URL is not repeated.
func TestAMistypedDatabaseMakesNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dsn := range []string{"", "sqlite:", "sqlite:///var/lib/ativa.db", "sqllite:ativa.db", "postgres:ativa:secret@host/ativa", "mysql://ativa:secret@host/ativa"} {
		_, err := store.Open(t.Context(), dsn, store.Options{})
		if err == nil || !strings.Contains(err.Error(), "write sqlite:PATH") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want how a database is written, and no password", dsn, err)
		}
	}
	made, err := os.ReadDir(".")
	if err != nil || len(made) > 0 {
		t.Errorf("got the files %v, %v, want none", made, err)
	}
	for _, dsn := range []string{"sqlite:ativa.db", "plain.db", "./a:b.db"} {
		if err := open(t, dsn, store.Options{}).Close(); err != nil {
			t.Errorf("%q: %v", dsn, err)
		}
	}
}

func TestWhatCannotBeOpenedIsNamed(t *testing.T) {
	text := file(t)
	if err := os.WriteFile(text, bytes.Repeat([]byte("name;email;document\n"), 500), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := file(t)
	if err := open(t, newer, store.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, newer, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`)
	for name, c := range map[string]struct{ path, want string }{
		"not a database": {text, "not a database"},
		"newer schema":   {newer, "newer"},
		"no directory":   {filepath.Join(t.TempDir(), "missing", "ativa.db"), "directory does not exist"},
	} {
		db, err := store.Open(t.Context(), "sqlite:"+c.path, store.Options{Exclusive: true})
		if err == nil {
			db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: got %v, want an error with %q and the path", name, err, c.want)
		}
	}
	left, err := os.ReadFile(text)
	if err != nil || !bytes.HasPrefix(left, []byte("name;email")) {
		t.Errorf("the file that is no database was changed: %v", err)
	}
}

// execute runs a statement behind the program's back.
func execute(t *testing.T, dsn, statement string) {
	t.Helper()
	if strings.HasPrefix(dsn, "postgres:") {
		pgtest.Exec(t, dsn, statement)
		return
	}
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(dsn, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedPageIsSeenAtStart(t *testing.T) {
	path := file(t)
	db := open(t, path, store.Options{})
	w := newWorld(t, db)
	w.insert(1, 3000)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	spoil(t, path)
	db, err := store.Open(t.Context(), path, store.Options{Exclusive: true})
	if err == nil {
		db.Close()
		t.Fatal("a damaged database was opened")
	}
	if !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "malformed") {
		t.Errorf("got %v, want an error that says damaged", err)
	}
}

// spoil overwrites a page in the middle of a file.
func spoil(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	spoilAt(t, path, info.Size()/2/4096*4096)
}

func spoilAt(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xa5}, 4096), at); err != nil {
		t.Fatal(err)
	}
}

func TestTheFilesAreTheOwnersAlone(t *testing.T) {
	path := file(t)
	db := open(t, path, store.Options{Exclusive: true})
	defer db.Close()
	newWorld(t, db).insert(1, 1)
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o, want 600", filepath.Base(path)+suffix, mode)
		}
	}
}

func TestTheListOfSpeeds(t *testing.T) {
	db := fresh(t, store.Options{})
	defer db.Close()
	speeds, err := db.InternetSpeeds(context.Background())
	if err != nil || len(speeds) != 38 {
		t.Fatalf("got %d speeds, %v, want 38", len(speeds), err)
	}
	for id, want := range map[int]string{1: "10 Mbps", 20: "200 Mbps", 21: "250 Mbps", 36: "1000 Mbps", 37: "5 Mbps", 38: "Não informado"} {
		if got := speeds[id-1]; got.ID != id || got.Speed != want {
			t.Errorf("speed %d: got %+v, want %s", id, got, want)
		}
	}
}

var _ provision.Store = (*store.DB)(nil)
