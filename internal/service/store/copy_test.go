package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// database returns a new database of either engine.
func database(t *testing.T, engine string) string {
	t.Helper()
	if engine == "postgres" {
		return pgtest.URL(t)
	}
	return "sqlite:" + tempFile(t)
}

func TestACopyHasEverything(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	for _, c := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}, {"postgres", "postgres"}, {"sqlite", "sqlite"}} {
		t.Run(strings.Join(c[:], " to "), func(t *testing.T) {
			from, to := database(t, c[0]), database(t, c[1])
			access := seedEveryTable(t, from)
			tables, err := store.Copy(t.Context(), from, to)
			must(t, err)
			for _, table := range tables {
				if table.Rows == 0 {
					t.Errorf("%s: want rows", table.Name)
				}
			}
			if len(tables) != len(store.CopiedTables()) {
				t.Errorf("%d tables were copied, want %d", len(tables), len(store.CopiedTables()))
			}
			wantWorkingCopy(t, to, access)
		})
	}
}

// wantWorkingCopy checks that a service works on a copy.
func wantWorkingCopy(t *testing.T, dsn, access string) {
	t.Helper()
	db := open(t, dsn, store.Options{Exclusive: true})
	m := servicetest.New(db, servicetest.Options{})
	ctx := t.Context()
	bearer, err := m.Authenticate(ctx, access)
	must(t, err)
	caller, err := m.Identify(ctx, bearer.Token)
	must(t, err)
	results, err := m.Import(ctx, rules.Call{Provider: caller.Provider, Token: caller.Token}, registrations(14, 16, 1))
	if err != nil || results[0].Kind != rules.ResultExisting || results[2].Services[0].QueuePosition != 5 {
		t.Errorf("an import into the copy: got %+v, %v, want the fifth place in the queue", results, err)
	}
	if speeds, err := m.InternetSpeeds(ctx); err != nil || len(speeds) != 39 || speeds[38].Speed != "2 Gbps" {
		t.Errorf("got the speeds %v, %v, want that which was added, too", speeds, err)
	}
	record, err := db.Record(ctx, time.Unix(0, 0))
	must(t, err)
	if last := record[slices.IndexFunc(record, func(e domain.RecordEntry) bool { return e.Address == "192.0.2.1" })]; !last.Failed || time.Since(last.At) > 2*time.Hour {
		t.Errorf("got %+v, want a request that was refused in this hour", last)
	}
	if err := m.RecordCommand(ctx, domain.RecordEntry{Command: "admin copy"}); err != nil {
		t.Error(err)
	}
	if _, _, err := m.CreateProvider(ctx, domain.Provider{Name: "Novo", Limit: 1}); err != nil {
		t.Error(err) // its id is new
	}
	term, err := domain.ParseSearchTerm("ana")
	must(t, err)
	if _, total, err := db.Search(ctx, caller.Provider, term, 0, 0); err != nil || total != 7 {
		t.Errorf("a search found %d, %v, want 7", total, err)
	}
	must(t, db.Close())
	wantNoFindings(t, dsn)
}

func TestACopyKnowsEveryTable(t *testing.T) {
	path := tempFile(t)
	must(t, open(t, path, store.Options{}).Close())
	db, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_master
		WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'`)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var table string
		must(t, rows.Scan(&table))
		if !slices.Contains(store.CopiedTables(), table) {
			t.Errorf("%s is not copied", table)
		}
	}
	must(t, rows.Err())
}

// An incomplete copy is refused and cannot be used.
func TestACopyThatBrokeOffIsNoTarget(t *testing.T) {
	t.Parallel()
	from, to := "sqlite:"+tempFile(t), "sqlite:"+tempFile(t)
	access := seedEveryTable(t, from)
	must(t, open(t, to, store.Options{}).Close())
	execute(t, to, `CREATE TRIGGER full BEFORE INSERT ON job BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
	if _, err := store.Copy(t.Context(), from, to); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatalf("got %v, want a copy that breaks off", err)
	}
	execute(t, to, `DROP TRIGGER full`)
	if _, err := store.Copy(t.Context(), from, to); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("got %v, want a refusal", err)
	}
	unreadable := "sqlite:" + tempFile(t) // it has no rows
	must(t, open(t, unreadable, store.Options{}).Close())
	execute(t, unreadable, `DROP TABLE partner_event`)
	if _, err := store.Copy(t.Context(), from, unreadable); err == nil || errors.Is(err, store.ErrNotEmpty) || !strings.Contains(err.Error(), "no such table") {
		t.Errorf("got %v, want an error that names the missing table", err)
	}
	m := servicetest.New(open(t, to, store.Options{}), servicetest.Options{})
	if _, err := m.Authenticate(t.Context(), access); err == nil {
		t.Error("the rest of a copy is used")
	}
}

func TestACopyRefusesAFullTargetAndABusySource(t *testing.T) {
	onPostgres(t)
	from, full := "sqlite:"+tempFile(t), pgtest.URL(t)
	seedEveryTable(t, from)
	seedEveryTable(t, full)
	before := pgtest.Rows(t, full)
	for _, source := range []string{from, withParam(t, full, "application_name", "other")} { // the second is the target itself
		if _, err := store.Copy(t.Context(), source, full); !errors.Is(err, store.ErrNotEmpty) {
			t.Errorf("a full target: got %v, want a refusal", err)
		}
	}
	if pgtest.Rows(t, full) != before {
		t.Error("a refused copy changed the target")
	}
	server := open(t, from, store.Options{Exclusive: true})
	defer server.Close()
	if _, err := store.Copy(t.Context(), from, pgtest.URL(t)); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a source with a server: got %v, want an error that says so", err)
	}
}

// In any spelling of the two names.
func TestACopyOntoItselfIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, symbolic, hard := filepath.Join(dir, "a.db"), filepath.Join(dir, "symbolic.db"), filepath.Join(dir, "hard.db")
	must(t, open(t, path, store.Options{}).Close())
	must(t, os.Link(path, hard))
	names := []string{path, filepath.Join(dir, "..", filepath.Base(dir), "a.db"), hard}
	if err := os.Symlink(path, symbolic); err == nil { // not every user may on Windows
		names = append(names, symbolic)
	}
	for _, to := range names {
		if _, err := store.Copy(t.Context(), "sqlite:"+path, "sqlite:"+to); !errors.Is(err, store.ErrSameDatabase) {
			t.Errorf("%s: got %v", to, err)
		}
	}
	if made, err := os.ReadDir(dir); err != nil || len(made) != len(names)-1 { // two of them lead to the same entry
		t.Errorf("got the files %v, %v, want none made by a refused copy", made, err)
	}
}

// Servers write to a source on PostgreSQL during a copy.
func TestACopySeesOneState(t *testing.T) {
	onPostgres(t)
	from := pgtest.URL(t)
	f, _ := newDatabaseOn(t, from, store.Options{})
	f.insert(1, 5000)
	writing, stop := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		n := 5000
		for writing.Err() == nil {
			n++
			f.insert(n, n)
		}
		done <- n
	}()
	_, err := store.Copy(t.Context(), from, "sqlite:"+tempFile(t))
	if err != nil {
		t.Error(err)
	}
	stop()
	if n := <-done; n < 5001 {
		t.Error("nobody wrote beside the copy")
	}
}
