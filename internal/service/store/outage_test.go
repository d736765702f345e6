package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// wantOut checks that reads and writes are refused as Unavailable.
func (f *fixture) wantOut() {
	f.t.Helper()
	_, err := f.db.CountSubscribers(f.t.Context(), f.p)
	wantFault(f.t, err, "the database")
	wantFault(f.t, f.db.Update(f.t.Context(), f.p, nil), "the database")
	wantFault(f.t, f.db.SaveBearer(f.t.Context(), domain.BearerToken{}), "the database")
}

// A lost server is reported as Unavailable, quickly, and used again when it is back, without a
// restart. A snapshot ends although the database falls silent after its last query.
func TestALostDatabaseIsUnavailableUntilItIsBack(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	proxy := pgtest.NewProxy(t, pgtest.URL(t)) // connecting and each statement may take a second
	f, _ := newDatabaseOn(t, withParam(t, withParam(t, proxy.URL, "statement_timeout", "1s"), "connect_timeout", "1"), store.Options{})
	f.insert(1, 10)
	proxy.Cut()
	f.wantOut()
	proxy.Restore(t)
	f.wantCount(10)
	f.insert(11, 20)
	must(t, f.db.View(t.Context(), f.p, func(context.Context, rules.Tx) error { proxy.Stall(); return nil }))
	f.wantOut()
	proxy.Cut()
	proxy.Restore(t)
	f.insert(21, 30)
	f.wantCount(30)
}

// A pooler without a database lets in and answers nothing more: opening ends within the time of a
// query.
func TestASilentPoolerIsReportedAtTheStart(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	proxy := pgtest.NewProxy(t, pgtest.URL(t))
	proxy.Mute()
	_, err := store.Open(t.Context(), withParam(t, proxy.URL, "statement_timeout", "1s"), store.Options{})
	wantFault(t, err, "cannot be reached")
}

// A refused login, as while a password changes, is Unavailable like a lost database. Open returns it
// as an error.
func TestARefusedLoginIsUnavailable(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	admin := pgtest.URL(t)
	parsed, err := url.Parse(admin)
	must(t, err)
	role := "role_of" + strings.NewReplacer("/", "_", "-", "_").Replace(parsed.Path)
	pgtest.Exec(t, admin, `DROP ROLE IF EXISTS `+role+`; CREATE ROLE `+role+` SUPERUSER LOGIN`) // that of an earlier test of this database
	parsed.User = url.User(role)
	f, _ := newDatabaseOn(t, parsed.String(), store.Options{})
	f.insert(1, 10)
	pgtest.Exec(t, admin, `ALTER ROLE `+role+` NOLOGIN; SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '`+role+`'`)
	for range 2 { // also when no connection is left in the pool
		f.wantOut()
	}
	if _, err := store.Open(t.Context(), parsed.String(), store.Options{}); err == nil || store.Fault(err) != nil || !strings.Contains(err.Error(), "not permitted to log in") {
		t.Errorf("got %v, want the refusal of the login", err)
	}
	pgtest.Exec(t, admin, `ALTER ROLE `+role+` LOGIN`)
	f.wantCount(10)
}

// A transaction that the database gives up is run again, and has its effect once.
func TestATransactionThatTheDatabaseGivesUpIsRunAgain(t *testing.T) {
	onPostgres(t)
	dsn := pgtest.URL(t)
	f, db := newDatabaseOn(t, dsn, store.Options{})
	for name, giveUp := range map[string]func() error{
		"deadlock":   func() error { return fmt.Errorf("write: %w", &pgconn.PgError{Code: "40P01"}) },
		"a conflict": func() error { return &pgconn.PgError{Code: "40001"} },
		"the connection broke": func() error {
			pgtest.Exec(t, dsn, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			return nil
		},
	} {
		runs := 0
		err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error {
			p := tx.Provider()
			p.ActiveTokens++
			if runs++; runs > 1 {
				return tx.SaveProvider(ctx, p)
			}
			return errors.Join(tx.SaveProvider(ctx, p), giveUp(), tx.SaveProvider(ctx, p))
		})
		if err != nil || runs != 2 {
			t.Errorf("%s: got %v after %d runs, want the second to succeed", name, err, runs)
		}
	}
	runs := 0
	err := db.Update(t.Context(), f.p, func(context.Context, rules.Tx) error { runs++; return &pgconn.PgError{Code: "40001"} })
	wantFault(t, err, "too many writes at once")
	if p, err := db.ProviderByName(t.Context(), "Provedor"); err != nil || p.ActiveTokens != 3 || runs != 5 {
		t.Errorf("got %d, %v after %d runs, want each effect once and five runs of the last", p.ActiveTokens, err, runs)
	}
}

// Writes that wait for one provider leave connections to the others.
func TestABusyProviderLeavesConnectionsToOthers(t *testing.T) {
	onPostgres(t)
	f, db := newDatabaseOn(t, withParam(t, pgtest.URL(t), "pool_max_conns", "2"), store.Options{})
	other := newProvider(t, db, "Outro")
	leave := f.holdWrites(t.Context())
	var calls sync.WaitGroup
	for n := range 40 {
		calls.Go(func() {
			if err := f.store(n+1, f.subscriber(n+1)); err != nil {
				t.Error(err)
			}
		})
	}
	other.insert(1, 3)
	other.wantCount(3)
	must(t, leave())
	calls.Wait()
	f.wantCount(40)
}
