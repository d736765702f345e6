package store_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
)

func TestOnlyOneServerOpensAFile(t *testing.T) {
	path := tempFile(t)
	first := open(t, path, store.Options{Exclusive: true})
	_, err := store.Open(t.Context(), dsnOf(path), store.Options{Exclusive: true})
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("second server: got %v, want an error that names the file and the other server", err)
	}
	second := open(t, path, store.Options{}) // like a command of the operator
	must(t, second.Close())
	must(t, first.Close())
	again := open(t, path, store.Options{Exclusive: true})
	must(t, again.Close())
}

// A mistyped kind of database does not create a file, and the error of a mistyped URL does not repeat
// its password.
func TestAMistypedDatabaseMakesNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dsn := range []string{"", "sqlite:", "sqlite:///var/lib/ativa.db", "sqllite:ativa.db", "postgres:ativa:secret@host/ativa", "mysql://ativa:secret@host/ativa",
		"plain.db", "./a:b.db", "$ATIVA_DATABASE", "sqlite:$HOME/ativa.db", "sqlite:${DIR}/ativa.db", "sqlite:%DIR%/ativa.db", "sqlite:~/ativa.db",
		"sqlite:host=127.0.0.1 password=secret", "sqlite:postgres://ativa:secret@host/ativa", "ATIVA_DB=sqlite:secret.db", "=secret", "1=secret", "password"} {
		_, err := store.Open(t.Context(), dsn, store.Options{})
		if err == nil || !strings.Contains(err.Error(), "written as sqlite:PATH") || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want how a database is written, and no password", dsn, err)
		}
	}
	made, err := os.ReadDir(".")
	if err != nil || len(made) > 0 {
		t.Errorf("got the files %v, %v, want none", made, err)
	}
	for dsn, want := range map[string]string{
		"postgres://ativa:p@secret@127.0.0.1:1/ativa":                                         "%40",
		"postgres://ativa:p/secret@127.0.0.1:1/ativa":                                         "invalid port",
		"postgresql://ativa:secret":                                                           "invalid port",
		"postgres://ativa:%secret@127.0.0.1:1/ativa":                                          "postgres://USER:PASSWORD@HOST/NAME",
		"postgres://ativa:secret@127.0.0.1:1/a?sslmode=some":                                  "TLS",
		"host=127.0.0.1 port=1 password='secret never":                                        "the text is not as host=HOST",
		"host=127.0.0.1 port=1 user=ativa password=secret dbname=ativa connect_timeout=1":     "127.0.0.1:1/ativa cannot be reached",
		"connect_timeout=1 host=127.0.0.1 port=1 password=secret dbname=ativa sslmode=prefer": "127.0.0.1:1/ativa cannot be reached",
		" target_session_attrs = any host=127.0.0.1 port=1 password=secret dbname=ativa":      "127.0.0.1:1/ativa cannot be reached",
		"pool_max_conns=2 host=127.0.0.1 port=1 password=secret dbname=ativa":                 "127.0.0.1:1/ativa cannot be reached",
		"options='-c x=y' host=127.0.0.1 port=1 password=secret dbname=ativa":                 "127.0.0.1:1/ativa cannot be reached",
		"sslrootcert=missing.pem sslmode=verify-full host=127.0.0.1 port=1 password=secret":   "the text is not as host=HOST",
	} {
		_, err := store.Open(t.Context(), dsn, store.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want one line with %q and no password", dsn, err, want)
		}
		if passes := errors.Is(err, &domain.Error{Code: domain.Unavailable}); passes != strings.HasSuffix(want, "reached") {
			t.Errorf("%q: %v is unavailable: %t", dsn, err, passes)
		}
	}
	for _, dsn := range []string{"sqlite:ativa.db", "sqlite:./a:b.db", "sqlite:100%.db"} {
		if err := open(t, dsn, store.Options{}).Close(); err != nil {
			t.Errorf("%q: %v", dsn, err)
		}
	}
}

func TestWhatCannotBeOpenedIsNamed(t *testing.T) {
	text := tempFile(t)
	must(t, os.WriteFile(text, bytes.Repeat([]byte("name;email;document\n"), 500), 0o600))
	damaged := tempFile(t)
	must(t, open(t, damaged, store.Options{}).Close())
	f, err := os.OpenFile(damaged, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, 1000), 100) // the list of tables
	must(t, errors.Join(err, f.Close()))
	for name, c := range map[string]struct{ path, want string }{
		"damaged":        {damaged, ": restore a backup"},
		"not a database": {text, "not a database"},
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

// What only reads a database names it, too, and says what to do about it.
func TestWhatCannotBeReadIsNamed(t *testing.T) {
	damaged, text, dir := tempFile(t), tempFile(t), t.TempDir()
	must(t, os.WriteFile(text, bytes.Repeat([]byte("name;email;document\n"), 500), 0o600))
	must(t, open(t, damaged, store.Options{}).Close())
	f, err := os.OpenFile(damaged, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, 80_000), 4096)
	must(t, errors.Join(err, f.Close()))
	for path, want := range map[string]string{damaged: "is damaged: restore a backup", text: "is not a database of Ativa", dir: "is a directory"} {
		for name, read := range map[string]func(dsn string) error{
			"Check":   func(dsn string) error { _, err := store.Check(t.Context(), dsn); return err },
			"Version": func(dsn string) error { _, _, err := store.Version(t.Context(), dsn); return err },
			"Backup":  func(dsn string) error { return store.Backup(t.Context(), dsn, tempFile(t)) },
		} {
			if err := read("sqlite:" + path); err == nil || !strings.Contains(err.Error(), path+" "+want) && !strings.Contains(err.Error(), path+": "+want) {
				t.Errorf("%s: got %v, want that %s %s", name, err, path, want)
			}
		}
	}
	empty := tempFile(t)
	must(t, os.WriteFile(empty, nil, 0o600))
	if err := store.Backup(t.Context(), "sqlite:"+empty, tempFile(t)); err == nil || err.Error() != empty+" is not a database of Ativa" {
		t.Errorf("a backup of an empty file: got %v, want that it is not a database of Ativa", err)
	}
}

func TestTheFilesAreTheOwnersAlone(t *testing.T) {
	path := tempFile(t)
	db := open(t, path, store.Options{Exclusive: true})
	defer db.Close()
	newFixture(t, db).insert(1, 1)
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(path + suffix)
		must(t, err)
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o, want 600", filepath.Base(path)+suffix, mode)
		}
	}
}

func TestTheListOfSpeeds(t *testing.T) {
	_, db := newDatabase(t)
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

var _ servicetest.Store = (*store.DB)(nil)
