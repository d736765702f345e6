package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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
	must(t, open(t, path, store.Options{}).Close()) // like a command of the operator
	must(t, first.Close())
	must(t, open(t, path, store.Options{Exclusive: true}).Close())
}

// A mistyped kind of database does not create a file, and the error of a mistyped URL does not repeat
// its password.
func TestAMistypedDatabaseMakesNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dsn := range []string{"", "sqlite:", "sqlite:///var/lib/ativa.db", "postgres:ativa:secret@host/ativa", "mysql://ativa:secret@host/ativa",
		"plain.db", "./a:b.db", "$ATIVA_DATABASE", "sqlite:$HOME/ativa.db", "sqlite:%DIR%/ativa.db", "sqlite:~/ativa.db", "sqlite:host=127.0.0.1 password=secret", "sqlite:postgres://ativa:secret@host/ativa", "ATIVA_DB=sqlite:secret.db", "=secret", "1=secret", "password"} {
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
		"host=127.0.0.1 port=1 password='secret never":                                        "the DSN does not have the form host=HOST",
		"host=127.0.0.1 port=1 user=ativa password=secret dbname=ativa connect_timeout=1":     "127.0.0.1:1/ativa cannot be reached",
		"connect_timeout=1 host=127.0.0.1 port=1 password=secret dbname=ativa sslmode=prefer": "127.0.0.1:1/ativa cannot be reached",
		" target_session_attrs = any host=127.0.0.1 port=1 password=secret dbname=ativa":      "127.0.0.1:1/ativa cannot be reached",
		"options='-c x=y' host=127.0.0.1 port=1 password=secret dbname=ativa":                 "127.0.0.1:1/ativa cannot be reached",
		"sslrootcert=missing.pem sslmode=verify-full host=127.0.0.1 port=1 password=secret":   "the DSN does not have the form host=HOST",
	} {
		_, err := store.Open(t.Context(), dsn, store.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want one line with %q and no password", dsn, err, want)
		}
		if passes := domain.IsCode(err, domain.Unavailable); passes != strings.HasSuffix(want, "reached") {
			t.Errorf("%q: %v is unavailable: %t", dsn, err, passes)
		}
	}
	for _, dsn := range []string{"sqlite:ativa.db", "sqlite:./a:b.db", "sqlite:100%.db"} {
		if err := open(t, dsn, store.Options{}).Close(); err != nil {
			t.Errorf("%q: %v", dsn, err)
		}
	}
}

// A file that is no database, or a damaged one, is named with a remedy by everything that opens it,
// and stays as it is.
func TestWhatCannotBeUsedIsNamed(t *testing.T) {
	schema, pages, partial, unversioned, text, other, empty := tempFile(t), tempFile(t), tempFile(t), tempFile(t), tempFile(t), tempFile(t), tempFile(t)
	for path, at := range map[string]int64{schema: 100, pages: 4096} { // the list of tables, and the pages after it
		must(t, open(t, path, store.Options{}).Close())
		corrupt(t, path, at, int(at)*20)
	}
	must(t, open(t, partial, store.Options{}).Close())
	execute(t, dsnOf(partial), `DROP TABLE brand`)
	must(t, open(t, unversioned, store.Options{}).Close())
	execute(t, dsnOf(unversioned), `DROP TABLE goose_db_version`)
	must(t, os.WriteFile(text, bytes.Repeat([]byte("name;email;document\n"), 500), 0o600))
	must(t, os.WriteFile(empty, nil, 0o600))
	execute(t, dsnOf(other), `CREATE TABLE contact (name TEXT)`)
	opens := func(o store.Options) func(dsn string) error {
		return func(dsn string) error { _, err := store.Open(t.Context(), dsn, o); return err }
	}
	uses := map[string]func(dsn string) error{
		"a server":  opens(store.Options{Exclusive: true}),
		"a command": opens(store.Options{Schema: store.KeepSchema}),
		"Version":   func(dsn string) error { _, _, err := store.Version(t.Context(), dsn); return err },
		"Check":     func(dsn string) error { _, err := store.Check(t.Context(), dsn); return err },
		"Backup":    func(dsn string) error { return store.Backup(t.Context(), dsn, tempFile(t)) },
	}
	for _, c := range []struct {
		path, want string
		by         []string // none: everything
	}{
		{schema, " is damaged: restore a backup", nil},
		{pages, " is damaged: restore a backup", nil},
		{partial, " lacks the table brand: restore a backup", nil},
		{unversioned, " lacks the table goose_db_version: restore a backup", nil},
		{text, " is not a database of Ativa", nil},
		{other, " is not a database of Ativa", nil},
		{empty, " is not a database of Ativa", []string{"Check", "Backup"}},
		{t.TempDir(), ": is a directory", []string{"Version", "Check", "Backup"}},
		{filepath.Join(t.TempDir(), "missing", "ativa.db"), ": its directory does not exist", []string{"a server"}},
	} {
		before, _ := os.ReadFile(c.path)
		for name, use := range uses {
			if c.by != nil && !slices.Contains(c.by, name) {
				continue
			}
			if err := use(dsnOf(c.path)); err == nil || !strings.Contains(err.Error(), c.path+c.want) {
				t.Errorf("%s: got %v, want %s%s", name, err, c.path, c.want)
			}
		}
		if after, _ := os.ReadFile(c.path); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", c.path)
		}
	}
}

var _ servicetest.Store = (*store.DB)(nil)
