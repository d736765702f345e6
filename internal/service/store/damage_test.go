package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
)

// A damaged page is found at the start, before a migration, by a check and by a backup, and after the
// start of a server, which then refuses writes and continues to read.
func TestADamagedPageIsFound(t *testing.T) {
	path := tempFile(t)
	db := open(t, path, store.Options{})
	f := newFixture(t, db)
	f.insert(1, 3000)
	must(t, db.Close())
	info, err := os.Stat(path)
	must(t, err)
	corrupt(t, path, info.Size()/2/4096*4096, 4096)
	wantDamaged := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "malformed") {
			t.Errorf("%s: got %v, want an error that says damaged", what, err)
		}
	}
	_, err = store.Open(t.Context(), dsnOf(path), store.Options{Exclusive: true})
	wantDamaged("a start", err)
	older := copyToTemp(t, path)
	execute(t, older, `DELETE FROM goose_db_version WHERE version_id = (SELECT MAX(version_id) FROM goose_db_version)`)
	_, err = store.Open(t.Context(), dsnOf(older), store.Options{Exclusive: true, Damaged: func(error) {}})
	wantDamaged("a migration", err)
	wantDamaged("a backup", store.Backup(t.Context(), dsnOf(path), filepath.Join(t.TempDir(), "copy.db")))
	if found, err := store.Check(t.Context(), dsnOf(path)); err == nil && (len(found) == 0 || found[0].Check != "integrity") {
		t.Errorf("a check: got %+v, want the damage", found)
	}

	found := make(chan error, 1)
	db = open(t, path, store.Options{Exclusive: true, Damaged: func(err error) { found <- err }})
	wantFault(t, <-found, "damaged")
	wantFault(t, db.Update(t.Context(), f.p, nil), "nothing is written; restore a backup")
	wantFault(t, db.Ready(t.Context()), "damaged")
	if _, err := db.Providers(t.Context()); err != nil {
		t.Errorf("reading: %v", err)
	}
	must(t, db.Close())

	unchecked := open(t, path, store.Options{})         // opened like an admin command
	corrupt(t, path, 4096*20, int(info.Size())-4096*20) // after the schema and the small tables
	err = unchecked.EachSubscriber(t.Context(), f.p, func(*domain.SubscriberServices) error { return nil })
	if fault := store.Fault(err); fault == nil || !strings.Contains(fault.Message, "damaged") || !strings.Contains(fault.Message, "backup") {
		t.Errorf("a list: got %v, want that it is damaged", err)
	}
	_ = unchecked.Close()
}
