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

// If one of several writes in a commit fails, panics or violates a constraint, only that one is
// undone.
func TestOneFailingUpdateOfAGroupUndoesOnlyItself(t *testing.T) {
	f, db := newDatabase(t)
	f.insertWithJobs(1)
	records, _ := f.p.Records()
	leave := f.holdWrites()
	const many = 20
	var calls sync.WaitGroup
	for n := range many {
		calls.Go(func() {
			err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
				_, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(n + 2)})
				p := tx.Provider()
				p.ActiveTokens++
				err = errors.Join(err, tx.SaveProvider(ctx, p))
				switch n % 4 {
				case 1:
					return errors.Join(err, errors.New("refused"))
				case 2:
					panic("a defect")
				case 3: // an existing id
					return errors.Join(err, tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{{ID: domain.OperationID(records + 1)}}}))
				}
				return err
			})
			if failed := err != nil; failed != (n%4 > 0) {
				t.Errorf("update %d: got %v", n, err)
			}
		})
	}
	for db.WaitingWrites() < many {
		runtime.Gosched()
	}
	leave()
	calls.Wait()
	p, err := db.ProviderByName(t.Context(), "Provedor")
	if got := f.count(); got != 1+many/4 || err != nil || p.ActiveTokens != many/4 {
		t.Errorf("got %d subscribers and %d tokens, %v, want those of the %d updates that succeeded", got, p.ActiveTokens, err, many/4)
	}
}

// Each write of a commit sees what the earlier ones of its provider have changed, also if writes of
// another provider and failed ones ran between them.
func TestWritesOfAGroupSeeTheEarlierOnes(t *testing.T) {
	f, db := newDatabase(t)
	other := newProvider(t, db, "Verde")
	leave := f.holdWrites()
	const many = 5
	var calls sync.WaitGroup
	for n := range 3 * many {
		calls.Go(func() {
			_ = db.Update(t.Context(), []domain.ProviderID{f.p, other.p}[n%2], func(ctx context.Context, tx rules.Tx) error {
				p := tx.Provider()
				p.ActiveTokens++
				err := tx.SaveProvider(ctx, p)
				if n%3 == 0 {
					err = errors.Join(err, errors.New("refused"))
				}
				return err
			})
		})
	}
	for db.WaitingWrites() < many { // on PostgreSQL those of the other provider run already
		runtime.Gosched()
	}
	leave()
	calls.Wait()
	for _, name := range []string{"Provedor", "Verde"} {
		if p, err := db.ProviderByName(t.Context(), name); err != nil || p.ActiveTokens != many {
			t.Errorf("%s: got %d tokens, %v, want %d", name, p.ActiveTokens, err, many)
		}
	}
}

// A statement that is refused before the statements queued with it have run undoes no earlier write.
func TestAnUnreadableStatementUndoesOnlyItsWrite(t *testing.T) {
	f, db := newDatabase(t)
	leave := f.holdWrites()
	results := make([]error, 3)
	var calls sync.WaitGroup
	for i := range results {
		calls.Go(func() {
			if i == 1 {
				results[i] = db.UpdateUnreadably(t.Context(), f.p)
				return
			}
			results[i] = db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
				_, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(i + 1)})
				return err
			})
		})
		for db.WaitingWrites() < i+1 {
			runtime.Gosched()
		}
	}
	leave()
	calls.Wait()
	if results[1] == nil {
		t.Error("the unreadable statement is acknowledged")
	}
	acknowledged := 0
	for _, err := range results {
		if err == nil {
			acknowledged++
		}
	}
	if got := len(f.listDocuments()); got != acknowledged {
		t.Errorf("got %d subscribers after %v, want %d", got, results, acknowledged)
	}
}

// A write that continues after a failed statement is not committed.
func TestAFailedStatementIsNotCommitted(t *testing.T) {
	onPostgres(t)
	f, db := newDatabaseOn(t, pgtest.URL(t), store.Options{})
	f.insertWithJobs(1)
	first, _ := f.p.Records()
	err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
		_ = tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{{ID: domain.OperationID(first + 1)}}}) // the id exists
		_, _ = tx.Operations(ctx, []domain.OperationID{domain.OperationID(first + 1)})
		return nil
	})
	if err == nil {
		t.Error("the write was acknowledged")
	}
}

// An operation id from outside may contain provider 0. An update of that provider must not write the
// provider of another update in the same commit.
func TestAnUpdateOfProviderZeroIsRefused(t *testing.T) {
	f, db := newDatabase(t)
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
	if err := db.Update(t.Context(), 77, nil); !errors.Is(err, &domain.Error{Code: domain.NotFound}) {
		t.Errorf("an unknown provider: got %v, want not found", err)
	}
	p, err := db.ProviderByName(t.Context(), "Provedor")
	if err != nil || p.Events != 1 {
		t.Errorf("got the last event %d, %v, want 1", p.Events, err)
	}
}

func TestACancelledCallerLeavesNothing(t *testing.T) {
	f, db := newDatabase(t)
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

// Inserting subscribers returns exactly the documents that other subscribers have.
func TestThoseWhoExistAreReturned(t *testing.T) {
	f, _ := newDatabase(t)
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
