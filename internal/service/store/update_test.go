package store_test

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"sync"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

func TestOneFailingUpdateOfAGroupUndoesOnlyItself(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	refused := errors.New("refused")
	var calls sync.WaitGroup
	for n := 1; n <= 60; n++ {
		calls.Go(func() {
			err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
				if _, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(n)}); err != nil {
					return err
				}
				switch n % 3 {
				case 1:
					return refused
				case 2:
					panic("a defect")
				}
				return nil
			})
			if failed := err != nil; failed != (n%3 != 0) {
				t.Errorf("update %d: got %v", n, err)
			}
		})
	}
	calls.Wait()
	if got := f.count(); got != 20 {
		t.Errorf("got %d subscribers, want the 20 of the updates that succeeded", got)
	}
}

// Of writes that share a commit, one whose rows the database refuses fails alone,
// also when nobody waited for the outcome of its statements.
func TestAnUpdateWhoseRowsAreRefusedFailsAlone(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	f.insertWithJobs(1)
	first, _ := f.p.Records()
	leave := f.holdWrites()
	var calls sync.WaitGroup
	for n := range 12 {
		calls.Go(func() {
			err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
				if _, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(n + 2)}); err != nil {
					return err
				}
				id := first + 1 // which exists
				if n%4 > 0 {
					id += int64(n)
				}
				p := tx.Provider()
				p.ActiveTokens++
				return errors.Join(tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{{ID: domain.OperationID(id)}}}), tx.SaveProvider(ctx, p))
			})
			if failed := err != nil; failed != (n%4 == 0) {
				t.Errorf("update %d: got %v", n, err)
			}
		})
	}
	for db.WaitingWrites() < 12 {
		runtime.Gosched()
	}
	leave()
	calls.Wait()
	p, err := db.ProviderByName(t.Context(), "Provedor")
	if got := f.count(); got != 10 || err != nil || p.ActiveTokens != 9 {
		t.Errorf("got %d subscribers and %d tokens, %v, want 10 and 9", got, p.ActiveTokens, err)
	}
}

// A write that goes on after a statement of it has failed is not taken for done.
func TestAFailedStatementIsNotCommitted(t *testing.T) {
	onPostgres(t)
	db := open(t, pgtest.URL(t), store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	f.insertWithJobs(1)
	first, _ := f.p.Records()
	err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
		_ = tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{{ID: domain.OperationID(first + 1)}}}) // which exists
		_, _ = tx.Operations(ctx, []domain.OperationID{domain.OperationID(first + 1)})
		return nil
	})
	if err == nil {
		t.Error("the write was acknowledged")
	}
}

func TestUpdatesOfAProviderRunOneAfterTheOther(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
				p := tx.Provider()
				p.ActiveTokens++
				return tx.SaveProvider(ctx, p)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	p, err := db.ProviderByName(t.Context(), "Provedor")
	if err != nil || p.ActiveTokens != 50 {
		t.Errorf("got %d, %v, want 50", p.ActiveTokens, err)
	}
}

// An operation id from outside may carry provider 0. An update of that one must not
// write the provider of an update that shares its commit.
func TestAnUpdateOfProviderZeroIsRefused(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	leave := f.holdWrites()
	var calls sync.WaitGroup
	calls.Go(func() {
		err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
			p := tx.Provider()
			p.Events++
			return tx.SaveProvider(ctx, p)
		})
		if err != nil {
			t.Error(err)
		}
	})
	for db.WaitingWrites() < 1 {
		runtime.Gosched()
	}
	refused := make(chan error, 1)
	calls.Go(func() {
		refused <- db.Update(t.Context(), 0, func(ctx context.Context, tx rules.Tx) error { return tx.SaveProvider(ctx, tx.Provider()) })
	})
	for db.WaitingWrites() < 2 && len(refused) == 0 {
		runtime.Gosched()
	}
	leave()
	calls.Wait()
	if err := <-refused; !errors.Is(err, &domain.Error{Code: domain.NotFound}) {
		t.Errorf("provider 0: got %v, want not found", err)
	}
	p, err := db.ProviderByName(t.Context(), "Provedor")
	if err != nil || p.Events != 1 {
		t.Errorf("got the last event %d, %v, want 1", p.Events, err)
	}
}

func TestACancelledCallerLeavesNothing(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := db.Update(ctx, f.p, func(ctx context.Context, tx rules.Tx) error {
		_, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(1)})
		return err
	})
	if !errors.Is(err, context.Canceled) || f.count() != 0 {
		t.Errorf("got %v and %d subscribers, want cancelled and none", err, f.count())
	}
}

func TestAnUnknownProviderIsNotFound(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	err := db.Update(t.Context(), 77, func(context.Context, rules.Tx) error { return nil })
	if !errors.Is(err, &domain.Error{Code: domain.NotFound}) {
		t.Errorf("got %v, want not_found", err)
	}
}

func TestListsPagesAndReadingBackAgree(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	f := newFixture(t, db)
	f.insert(1, 2300)
	if err := db.Close(); err != nil { // a restart loses nothing
		t.Fatal(err)
	}
	db = open(t, dsn, store.Options{})
	defer db.Close()
	var listed []cpf.Document
	err := db.EachSubscriber(t.Context(), f.p, func(s *domain.SubscriberServices) error {
		listed = append(listed, s.Document)
		return nil
	})
	if err != nil || len(listed) != 2300 {
		t.Fatalf("got %d subscribers, %v, want 2,300", len(listed), err)
	}
	page, err := db.SubscriberPage(t.Context(), f.p, 2000, 500)
	if err != nil || len(page) != 300 || page[0].Document != listed[2000] {
		t.Errorf("got a page of %d, %v, want the last 300", len(page), err)
	}
	f.t, f.db = t, db
	f.update(func(ctx context.Context, tx rules.Tx) error { return tx.EraseSubscriber(ctx, f.subscriber(7).ID) })
	page, err = db.SubscriberPage(t.Context(), f.p, 2000, 500)
	if err != nil || len(page) != 299 || page[0].Document != listed[2001] || f.count() != 2299 {
		t.Errorf("after an erasure: got a page of %d, %v, want the last 299", len(page), err)
	}
}

// Of subscribers that are to be inserted, those whose document another one has
// are returned, and no others.
func TestThoseWhoExistAreReturned(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	f.insert(1, 2)
	double := f.subscriber(3)
	double.Document = f.subscriber(2).Document
	f.update(func(ctx context.Context, tx rules.Tx) error {
		existing, err := tx.InsertSubscribers(ctx, []domain.Subscriber{double, f.subscriber(4)})
		if want := map[cpf.Document]bool{double.Document: true}; !maps.Equal(existing, want) {
			t.Errorf("got %v, want %v", existing, want)
		}
		return err
	})
	if n := f.count(); n != 3 {
		t.Errorf("got %d subscribers, want 3", n)
	}
}

// A page behind the last one is empty, however far: the ids that follow are
// those of another provider.
func TestAPageEndsWithTheProvider(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f, other := newProvider(t, db, "Azul"), newProvider(t, db, "Verde")
	f.insert(1, 3)
	other.insert(1, 3)
	for _, offset := range []int{3, 1<<31 - 1, 1 << 31, 1<<31 + 1} {
		page, err := db.SubscriberPage(t.Context(), f.p, offset, 500)
		if err != nil || len(page) != 0 {
			t.Errorf("offset %d: got a page of %d, %v, want none", offset, len(page), err)
		}
	}
	err := db.EachSubscriber(t.Context(), f.p, func(s *domain.SubscriberServices) error {
		if s.ID.Provider() != f.p {
			t.Errorf("the list of provider %d has a subscriber of %d", f.p, s.ID.Provider())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
