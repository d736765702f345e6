package store_test

import (
	"errors"
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
	all := pgtest.Column(t, pgtest.URL(t), `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version' ORDER BY 1`)
	for _, c := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}, {"postgres", "postgres"}, {"sqlite", "sqlite"}} {
		t.Run(strings.Join(c[:], " to "), func(t *testing.T) {
			from, to := database(t, c[0]), database(t, c[1])
			access := seedEveryTable(t, from)
			tables, err := store.Copy(t.Context(), from, to)
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
		t.Errorf("got the speeds %v, %v, want the added one, too", speeds, err)
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
	if _, total, err := db.Search(ctx, caller.Provider, searchTerm(t, "ana"), 0, 0); err != nil || total != 7 {
		t.Errorf("a search found %d, %v, want 7", total, err)
	}
	must(t, db.Close())
	wantNoFindings(t, dsn)
}

// A server on the target would otherwise deliver the deliveries of half a copy.
func TestACopyThatBreaksOffLeavesNothing(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		from, to := "sqlite:"+tempFile(t), database(t, engine)
		access := seedEveryTable(t, from)
		must(t, open(t, to, store.Options{}).Close())
		execute(t, to, `ALTER TABLE bearer_token RENAME COLUMN hash TO other`)
		if _, err := store.Copy(t.Context(), from, to); err == nil || !strings.Contains(err.Error(), "no such column: other") {
			t.Fatalf("got %v, want a copy that breaks off", err)
		}
		execute(t, to, `ALTER TABLE bearer_token RENAME COLUMN other TO hash`)
		if _, err := store.Copy(t.Context(), from, to); err != nil {
			t.Errorf("%s: got %v, want a copy into what the first one left", engine, err)
		}
		wantWorkingCopy(t, to, access)
	}
}

func TestACopyRefusesWhatIsNoTarget(t *testing.T) {
	t.Parallel()
	from, full := "sqlite:"+tempFile(t), "sqlite:"+tempFile(t)
	for _, dsn := range []string{from, full} {
		seedEveryTable(t, dsn)
	}
	if _, err := store.Copy(t.Context(), from, full); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("got %v, want a refusal", err)
	}
	unreadable := "sqlite:" + tempFile(t) // it has no rows
	must(t, open(t, unreadable, store.Options{}).Close())
	execute(t, unreadable, `DROP TABLE partner_event`)
	if _, err := store.Copy(t.Context(), from, unreadable); err == nil || errors.Is(err, store.ErrNotEmpty) || !strings.Contains(err.Error(), "no such table") {
		t.Errorf("got %v, want an error that names the missing table", err)
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
