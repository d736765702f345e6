package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/service/domain"
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

// A copy from each engine to each holds every value, and new ids continue after the copied ones.
func TestACopyHasEverything(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	first := pgtest.URL(t)
	seedEveryTable(t, first)
	pgtest.Exec(t, first, `UPDATE delivery SET state = 0, next_at = 0 WHERE state = 1`) // as opening a file does
	all := pgtest.Column(t, first, `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version' ORDER BY 1`)
	last := first
	for _, engine := range []string{"sqlite", "sqlite", "postgres", "postgres"} {
		to := database(t, engine)
		tables, err := store.Copy(t.Context(), last, to)
		must(t, err)
		var names []string
		for _, table := range tables {
			names = append(names, table.Name)
			if table.Rows == 0 {
				t.Errorf("%s: want rows", table.Name)
			}
		}
		if slices.Sort(names); !slices.Equal(names, all) {
			t.Errorf("got the tables %v, want %v", names, all)
		}
		last = to
	}
	rows := func(dsn string) []string {
		all := slices.Sorted(strings.SplitSeq(pgtest.Rows(t, dsn), "\n"))
		return slices.DeleteFunc(all, func(row string) bool { return strings.HasPrefix(row, "goose_db_version ") })
	}
	if diff := cmp.Diff(rows(last), rows(first)); diff != "" {
		t.Errorf("the last copy differs from the first database (-got +want):\n%s", diff)
	}
	wantNoFindings(t, last)
	db := open(t, last, store.Options{Exclusive: true})
	defer db.Close()
	m := servicetest.New(db, servicetest.Options{})
	_, _, err := m.CreateProvider(t.Context(), domain.Provider{Name: "Novo", Limit: 1})
	_, err2 := m.CreatePartner(t.Context(), domain.Partner{Name: "Novo", Driver: domain.DriverManual})
	must(t, errors.Join(err, err2, m.RecordCommand(t.Context(), domain.RecordEntry{Command: "admin copy"})))
}

// A server on the target would otherwise deliver the deliveries of half a copy.
func TestACopyThatBreaksOffLeavesNothing(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		from, to := "sqlite:"+tempFile(t), database(t, engine)
		seedEveryTable(t, from)
		must(t, open(t, to, store.Options{}).Close())
		execute(t, to, `ALTER TABLE bearer_token RENAME COLUMN hash TO other`)
		if _, err := store.Copy(t.Context(), from, to); err == nil || !strings.Contains(err.Error(), "no such column: other") {
			t.Fatalf("got %v, want a copy that breaks off", err)
		}
		execute(t, to, `ALTER TABLE bearer_token RENAME COLUMN other TO hash`)
		db := open(t, to, store.Options{})
		must(t, db.AddRecord(t.Context(), domain.RecordEntry{Command: "admin copy", Failed: true})) // as the command does
		must(t, db.Close())
		if _, err := store.Copy(t.Context(), from, to); err != nil {
			t.Errorf("%s: got %v, want a copy into what the first one left", engine, err)
		}
		wantNoFindings(t, to)
	}
}

func TestACopyRefusesWhatIsNoSourceOrTarget(t *testing.T) {
	t.Parallel()
	from, full := "sqlite:"+tempFile(t), "sqlite:"+tempFile(t)
	for _, dsn := range []string{from, full} {
		seedEveryTable(t, dsn)
	}
	if _, err := store.Copy(t.Context(), from, full); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := store.Copy(t.Context(), emptyDSN(t), "sqlite:"+tempFile(t)); !errors.Is(err, store.ErrNoSchema) {
		t.Errorf("of a source without a schema: got %v, want %v", err, store.ErrNoSchema)
	}
}

// Servers write to a source on PostgreSQL during a copy.
func TestACopySeesOneState(t *testing.T) {
	onPostgres(t)
	from := pgtest.URL(t)
	f, _ := newDatabaseOn(t, from, store.Options{})
	f.insert(1, 5000)
	stop := f.insertUntil(5001)
	_, err := store.Copy(t.Context(), from, "sqlite:"+tempFile(t))
	if last := stop(); err != nil || last < 5001 {
		t.Errorf("got %v while subscribers were written up to number %d", err, last)
	}
}
