package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/provision"
	"ativa/internal/store"
)

// unavailable checks that an error names a fault of the database.
func unavailable(t *testing.T, err error, message string) {
	t.Helper()
	if e, ok := errors.AsType[*provision.Error](err); !ok || e.Code != provision.Unavailable || !strings.Contains(e.Message, message) {
		t.Errorf("got %v, want unavailable: %s", err, message)
	}
}

// more registers subscriber n.
func (w *world) more(n int) error {
	s := w.subscriber(n)
	s.Name = strings.Repeat("Nome Comprido ", 15)
	return w.db.Update(w.t.Context(), w.p, func(ctx context.Context, tx provision.Tx) error {
		p := tx.Provider()
		p.Subscribers = max(p.Subscribers, int64(n))
		if err := tx.SaveProvider(ctx, p); err != nil {
			return err
		}
		_, err := tx.InsertSubscribers(ctx, []provision.Subscriber{s})
		return err
	})
}

// What was acknowledged is there, on a full disk and after it; what was
// refused is not; reading goes on, and writing, too, once there is room.
func TestAFullDisk(t *testing.T) {
	path := file(t)
	db := open(t, path, store.Options{Exclusive: true})
	w := newWorld(t, db)
	w.insert(1, 10)
	if err := db.LimitPages(t.Context(), 45); err != nil {
		t.Fatal(err)
	}
	acknowledged, refused := 10, 0
	var mu sync.Mutex
	var calls sync.WaitGroup
	for n := 11; n <= 800; n++ { // in groups
		calls.Go(func() {
			err := w.more(n)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				acknowledged++
			case strings.Contains(err.Error(), "too many writes"):
			default:
				refused++
				unavailable(t, err, "full")
			}
		})
	}
	calls.Wait()
	if refused == 0 || acknowledged == 10 {
		t.Fatalf("%d acknowledged, %d refused: the disk was not filled", acknowledged, refused)
	}
	var err error
	for n := 801; err == nil && n < 1000; n++ { // and one by one, to the last page
		if err = w.more(n); err == nil {
			acknowledged++
		}
	}
	unavailable(t, err, "full")
	if got := w.count(); got != acknowledged {
		t.Errorf("got %d subscribers, want the %d that were acknowledged", got, acknowledged)
	}
	if err := db.LimitPages(t.Context(), 1_000_000); err != nil {
		t.Fatal(err)
	}
	if err := w.more(1001); err != nil {
		t.Errorf("after there was room again: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if found, err := store.Check(t.Context(), path); err != nil || len(found) > 0 {
		t.Errorf("got %v, %v, want a database without faults", found, err)
	}
}

func TestALockedDatabase(t *testing.T) {
	path := file(t)
	db := open(t, path, store.Options{BusyTimeout: 50 * time.Millisecond})
	defer db.Close()
	w := newWorld(t, db)
	w.insert(1, 1)
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	held, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	unavailable(t, w.more(2), "locked")
	if got := w.count(); got != 1 {
		t.Errorf("reading beside the lock: got %d", got)
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := w.more(2); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}

func TestADatabaseThatIsDamagedWhileItIsOpen(t *testing.T) {
	path := file(t)
	db := open(t, path, store.Options{})
	newWorld(t, db).insert(1, 3000)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := open(t, path, store.Options{}) // as an admin command opens it, unchecked
	defer damaged.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(4096 * 20); at < info.Size(); at += 4096 { // after the schema and the small tables
		spoilAt(t, path, at)
	}
	err = damaged.EachSubscriber(t.Context(), 1, func(*provision.SubscriberServices) error { return nil })
	if fault := store.Fault(err); fault == nil || !strings.Contains(fault.Message, "damaged") || !strings.Contains(fault.Message, "backup") {
		t.Errorf("got %v, want that it is damaged", err)
	}
}

func TestOtherErrorsAreNoFaults(t *testing.T) {
	path := file(t)
	db := open(t, path, store.Options{})
	defer db.Close()
	w := newWorld(t, db)
	_, err := db.CreateProvider(t.Context(), provision.Provider{Name: "Provedor"})
	for _, err := range []error{nil, err, errors.New("x"), context.Canceled, w.db.Update(t.Context(), 99, nil)} {
		if f := store.Fault(err); f != nil {
			t.Errorf("%v: got %v", err, f)
		}
	}
}
