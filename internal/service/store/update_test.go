package store_test

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// group runs n writes that wait together where the engine lets them, for a write with the context, and
// returns their errors.
func (f *fixture) group(ctx context.Context, n int, write func(i int) error) []error {
	f.t.Helper()
	leave := f.holdWrites(ctx)
	results, ended := make([]error, n), atomic.Int64{} // on PostgreSQL those of other providers run at once
	var calls sync.WaitGroup
	for i := range results {
		calls.Go(func() { results[i] = write(i); ended.Add(1) })
		for f.db.WaitingWrites()+int(ended.Load()) < i+1 {
			runtime.Gosched()
		}
	}
	must(f.t, leave())
	calls.Wait()
	return results
}

// Each write of a commit sees what the earlier ones of its provider have changed. If one is refused,
// panics or violates a constraint, only that one is undone. So do writes that join a bulk one.
func TestOneFailingUpdateOfAGroupUndoesOnlyItself(t *testing.T) {
	oneFailing(t.Context(), t)
	oneFailing(domain.WithBulk(t.Context()), t)
}

// oneFailing runs updates that wait for one with the context.
func oneFailing(ctx context.Context, t *testing.T) {
	t.Helper()
	azul, db := newDatabase(t)
	azul.insertWithDeliveries(1)
	providers := []*fixture{azul, newProvider(t, db, "Verde")}
	ends := []func(context.Context, rules.Tx) error{
		func(context.Context, rules.Tx) error { return nil },
		func(context.Context, rules.Tx) error { return errors.New("refused") },
		func(context.Context, rules.Tx) error { panic("a defect") },
		func(ctx context.Context, tx rules.Tx) error { // an existing id
			records, _ := azul.p.Records()
			return tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{{ID: domain.OperationID(records + 1)}}})
		},
	}
	const each = 4
	results := azul.group(ctx, 2*each*len(ends), func(i int) error {
		f, end := providers[i%2], ends[i/2%len(ends)]
		return db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
			p := tx.Provider()
			p.ActiveTokens++
			_, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(i + 2)})
			return errors.Join(err, tx.SaveProvider(ctx, p), end(ctx, tx))
		})
	})
	for i, err := range results {
		if failed := i/2%len(ends) > 0; failed != (err != nil) {
			t.Errorf("update %d: got %v", i, err)
		}
	}
	for i, name := range []string{"Provedor", "Verde"} {
		p, err := db.ProviderByName(t.Context(), name)
		if n := providers[i].count(); n != each+1-i || err != nil || p.ActiveTokens != each {
			t.Errorf("%s: got %d subscribers and %d tokens, %v, want those of the updates that succeeded", name, n, p.ActiveTokens, err)
		}
	}
}

// A statement that is refused before those queued with it have run fails only its own write.
func TestAnUnreadableStatementFailsAlone(t *testing.T) {
	f, db := newDatabase(t)
	results := f.group(t.Context(), 3, func(i int) error {
		return db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
			if i == 1 {
				return store.Unreadable(ctx, tx)
			}
			_, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(i + 1)})
			return err
		})
	})
	if got := len(f.listDocuments()); got != 2 || results[0] != nil || results[1] == nil || results[2] != nil {
		t.Errorf("got %d subscribers after %v, want those of the first and the third write", got, results)
	}
}

// A write that continues after a failed statement is not committed, but those that share its
// transaction are, whichever it is of them.
func TestAFailedStatementIsNotCommitted(t *testing.T) {
	onPostgres(t)
	f, db := newDatabaseOn(t, pgtest.URL(t), store.Options{})
	f.insertWithDeliveries(1)
	first, _ := f.p.Records()
	for at := range 3 {
		results := f.group(t.Context(), 3, func(i int) error {
			return db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
				if i == at {
					_ = tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{{ID: domain.OperationID(first + 1)}}}) // the id exists
					_, _ = tx.Operations(ctx, []domain.OperationID{domain.OperationID(first + 1)})
				}
				_, _ = tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(10*at + i + 2)})
				return nil
			})
		})
		for i, err := range results {
			if failed := i == at; failed != (err != nil) {
				t.Errorf("write %d of 3, where write %d ignored its error: got %v", i, at, err)
			}
		}
	}
	f.wantCount(1 + 3*2)
}

// An operation id from outside may contain provider 0. An update of that provider must not write the
// provider of another update in the same commit.
func TestAnUpdateOfProviderZeroIsRefused(t *testing.T) {
	f, db := newDatabase(t)
	results := f.group(t.Context(), 3, func(i int) error {
		return db.Update(t.Context(), []domain.ProviderID{f.p, 0, 77}[i], func(ctx context.Context, tx rules.Tx) error {
			p := tx.Provider()
			p.Events++
			return tx.SaveProvider(ctx, p)
		})
	})
	if !domain.IsCode(results[1], domain.NotFound) || !domain.IsCode(results[2], domain.NotFound) {
		t.Errorf("got %v, want that the second and third provider are not found", results)
	}
	if p, err := db.ProviderByName(t.Context(), "Provedor"); results[0] != nil || err != nil || p.Events != 1 {
		t.Errorf("got %v and the last event %d, %v, want 1", results[0], p.Events, err)
	}
}

// Operation ids from outside may contain any provider.
func TestAnUnknownProviderLeavesNoQueue(t *testing.T) {
	_, db := newDatabase(t)
	before, many := runtime.NumGoroutine(), 500
	for n := range many {
		if err := db.Update(t.Context(), domain.ProviderID(1000+n), nil); !domain.IsCode(err, domain.NotFound) {
			t.Fatalf("got %v, want that the provider is not found", err)
		}
	}
	if more := runtime.NumGoroutine() - before; more > many/10 {
		t.Errorf("%d goroutines more than before", more)
	}
}

func TestACancelledCallerLeavesNothing(t *testing.T) {
	f, db := newDatabase(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := db.Update(ctx, f.p, func(context.Context, rules.Tx) error { t.Error("the write ran"); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
}

// Inserting subscribers returns exactly the documents that other subscribers have.
func TestInsertReturnsTheDocumentsOfOthers(t *testing.T) {
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
	f.wantCount(3)
}
