package store_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"runtime"
	"strings"
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
// panics, violates a constraint, cannot be parsed or, on PostgreSQL, ignores the error of a statement,
// only that one is undone. So do writes that join a bulk one.
func TestOneFailingUpdateOfAGroupUndoesOnlyItself(t *testing.T) {
	repeats := func(ctx context.Context, tx rules.Tx, existing domain.OperationID) error {
		return tx.Write(ctx, rules.Changes{NewOperations: []domain.Operation{{ID: existing}}})
	}
	ends := map[string]func(context.Context, rules.Tx, domain.OperationID) error{
		"succeeds":   func(context.Context, rules.Tx, domain.OperationID) error { return nil },
		"refuses":    func(context.Context, rules.Tx, domain.OperationID) error { return errors.New("refused") },
		"panics":     func(context.Context, rules.Tx, domain.OperationID) error { panic("a defect") },
		"repeats":    repeats,
		"unreadable": func(ctx context.Context, tx rules.Tx, _ domain.OperationID) error { return store.Unreadable(ctx, tx) },
		"ignores": func(ctx context.Context, tx rules.Tx, existing domain.OperationID) error {
			_ = repeats(ctx, tx, existing)
			_, _ = tx.Operations(ctx, []domain.OperationID{existing})
			return nil
		},
	}
	for _, row := range []string{"succeeds refuses succeeds panics repeats succeeds", "succeeds unreadable succeeds", "ignores succeeds succeeds", "succeeds ignores succeeds", "succeeds succeeds ignores"} {
		if strings.Contains(row, "ignores") && os.Getenv(pgtest.Engine) != "postgres" {
			continue // SQLite undoes only the statement
		}
		for _, first := range []context.Context{t.Context(), domain.WithBulk(t.Context())} {
			azul, db := newDatabase(t) // with connections on which nothing is prepared
			azul.insertWithDeliveries(1)
			records, _ := azul.p.Records()
			providers, names := []*fixture{azul, newProvider(t, db, "Verde")}, strings.Fields(row)
			results := azul.group(first, 2*len(names), func(i int) error {
				f := providers[i%2]
				return db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
					p := tx.Provider()
					p.ActiveTokens++
					_, err := tx.InsertSubscribers(ctx, []domain.Subscriber{f.subscriber(i + 2)})
					return errors.Join(err, tx.SaveProvider(ctx, p), ends[names[i/2]](ctx, tx, domain.OperationID(records+1)))
				})
			})
			for i, err := range results {
				if name := names[i/2]; (err == nil) != (name == "succeeds") {
					t.Errorf("update %d of %s: got %v", i, row, err)
				}
			}
			each := strings.Count(row, "succeeds")
			for i, name := range []string{"Provedor", "Verde"} {
				p, err := db.ProviderByName(t.Context(), name)
				if n := providers[i].count(); n != each+1-i || err != nil || p.ActiveTokens != each {
					t.Errorf("%s, %s: got %d subscribers and %d tokens, %v, want those of the updates that succeeded", row, name, n, p.ActiveTokens, err)
				}
			}
		}
	}
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
