package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

func TestABackupIsOneMomentOfARunningService(t *testing.T) {
	path := tempFile(t)
	f, _ := newDatabaseOn(t, path, store.Options{Exclusive: true})
	f.insert(1, 500)
	stop := f.insertUntil(501) // each commit adds and counts a subscriber
	dir, counts := t.TempDir(), []int{500}
	for _, name := range []string{"a.db", "b.db", "c.db"} {
		copied := filepath.Join(dir, name)
		must(t, store.Backup(t.Context(), dsnOf(path), copied))
		info, err := os.Stat(copied)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want mode 600", name, info, err)
		}
		wantNoFindings(t, dsnOf(copied))
		restored := open(t, copied, store.Options{Exclusive: true})
		counts = append(counts, (&fixture{t, restored, f.p}).count())
		must(t, restored.Close())
	}
	if counts = append(counts, stop()); !slices.IsSorted(counts) {
		t.Errorf("got backups with %v subscribers, from the first to the last written", counts)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A reader with a cursor beyond the feed, such as one of lost events, gets an error, however many
// events follow; any other reader misses none.
func TestAfterARestoreNoCursorPassesOverEvents(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	seed(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	m := servicetest.New(db, servicetest.Options{})
	p, err := db.ProviderByName(t.Context(), "Azul")
	must(t, err)
	last, err := db.LastEvent(t.Context(), p.ID)
	must(t, err)
	wantRefused := func(beyond ...domain.EventID) {
		t.Helper()
		for _, cursor := range beyond {
			if _, _, err := m.Events(t.Context(), p.ID, cursor, 10); !domain.IsCode(err, domain.InvalidCursor) {
				t.Errorf("a cursor %d events after the backup: got %v", cursor-last, err)
			}
		}
	}
	wantRefused(last+1, last+1<<43) // also that of another provider
	must(t, db.SkipIDs(t.Context()))
	wantRefused(last+1, last+2, last+3)
	if events, _, err := m.Events(t.Context(), p.ID, last, 10); err != nil || len(events) > 0 {
		t.Errorf("got %d events, %v, want none yet", len(events), err)
	}
	_, err = m.Import(t.Context(), rules.Call{Provider: p.ID}, registrations(100, 120, 3))
	must(t, err)
	wantRefused(last+1, last+2, last+3)
	stored, err := db.Events(t.Context(), p.ID, 0, 1000)
	must(t, err)
	read := 0
	for cursor, n := domain.EventID(0), 1; n > 0; read += n {
		var events []domain.Event
		events, cursor, err = m.Events(t.Context(), p.ID, cursor, 7)
		must(t, err)
		n = len(events)
	}
	if read != len(stored) {
		t.Errorf("a reader from the beginning got %d of %d events", read, len(stored))
	}
	wantNoFindings(t, dsn)
}

// The ids that a restored database leaves out cost a list a few statements, not one for each thousand of
// them; so with a report (TestIntervalsAreReadByIndex).
func TestARestoredDatabaseIsListedAsFastAsBefore(t *testing.T) {
	f, _ := newDatabase(t)
	f.insert(1, 3)
	f.insert(domain.SkippedEvents+1, domain.SkippedEvents+3) // as many subscribers as events are skipped
	f.wantPlan("subscribers", 20, "", func() error {
		if got := f.listDocuments(); len(got) != 6 {
			t.Errorf("got %d subscribers, want 6", len(got))
		}
		return nil
	})
}

// A partner ignores an operation id that it knows, and a receiver a webhook id. So a restored
// database must not reuse either.
func TestARestoredDatabaseGivesOutNoIDAgain(t *testing.T) {
	dsn := pgtest.DSN(t)
	seedEveryTable(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	counters := func(db *store.DB) (all [][6]int64) {
		t.Helper()
		providers, err := db.Providers(t.Context())
		must(t, err)
		feeds, err := db.FeedCallbacks(t.Context())
		must(t, err)
		for _, p := range providers {
			all = append(all, [6]int64{p.Operations, p.Deliveries, p.Schedules, p.Events, p.Subscribers, feeds[0].Generation})
		}
		return all
	}
	before, copied := counters(db), filepath.Join(t.TempDir(), "b.db")
	restored := db
	switch err := store.Backup(t.Context(), dsn, copied); {
	case errors.Is(err, store.ErrUsePostgresTools): // `ativa admin restored` does it
		must(t, db.SkipIDs(t.Context()))
	case err != nil:
		t.Fatal(err)
	default:
		if after := counters(db); !slices.Equal(after, before) {
			t.Errorf("the backup changed the counters %v to %v", before, after)
		}
		restored = open(t, copied, store.Options{})
		defer restored.Close()
	}
	for i, after := range counters(restored) {
		for n, counter := range after {
			if counter < before[i][n]+1<<24 {
				t.Errorf("provider %d: counter %d is %d after a restore, and was %d", i, n, counter, before[i][n])
			}
		}
	}
	_, err := restored.CreateProvider(t.Context(), domain.Provider{Name: "created since the backup"}, nil)
	must(t, err)
	all := counters(restored)
	if last := all[len(all)-1]; slices.Min(last[:]) < 1<<24 {
		t.Errorf("a provider that is created again has the counters %v", last)
	}
	if restored != db {
		wantNoFindings(t, dsnOf(copied))
	}
}

// A killed backup leaves a part with personal data. The next one in the directory removes it, but not
// the part of a backup that is under way, and no other file.
func TestABackupRemovesThePartsOfKilledOnes(t *testing.T) {
	path, dir := tempFile(t), t.TempDir()
	must(t, open(t, path, store.Options{}).Close())
	for name, age := range map[string]time.Duration{".ativa-backup-KILLED": 25 * time.Hour, ".ativa-backup-KILLED-journal": 25 * time.Hour,
		".ativa-backup-UNDERWAY": 23 * time.Hour, ".ativa-OTHER": 25 * time.Hour, "backup.db": 25 * time.Hour} {
		file := filepath.Join(dir, name)
		must(t, os.WriteFile(file, nil, 0o600))
		must(t, os.Chtimes(file, time.Time{}, time.Now().Add(-age)))
	}
	must(t, store.Backup(t.Context(), dsnOf(path), filepath.Join(dir, "new.db")))
	names, err := fs.Glob(os.DirFS(dir), "*")
	if want := []string{".ativa-OTHER", ".ativa-backup-UNDERWAY", "backup.db", "new.db"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("got the files %v, %v, want %v", names, err, want)
	}
}

func TestABackupNeverReplacesAFile(t *testing.T) {
	path, file, link := tempFile(t), filepath.Join(t.TempDir(), "b.db"), filepath.Join(t.TempDir(), "link.db")
	must(t, open(t, path, store.Options{}).Close())
	must(t, errors.Join(os.WriteFile(file, []byte("mine"), 0o600), os.Symlink(link+".none", link)))
	for _, to := range []string{file, link} {
		if err := store.Backup(t.Context(), dsnOf(path), to); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: got %v, want that it exists", to, err)
		}
	}
	wantContent(t, file, []byte("mine"))
	if _, err := os.Stat(link); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want a link that still dangles", err)
	}
	dir := t.TempDir()
	err := store.Backup(t.Context(), "sqlite:"+filepath.Join(dir, "none.db"), filepath.Join(dir, "b.db"))
	if left, _ := os.ReadDir(dir); err == nil || len(left) > 0 {
		t.Errorf("a backup of nothing: got %v and %v, want an error and no file", err, left)
	}
}
