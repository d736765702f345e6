package store_test

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// A COMMIT that stops waiting for the synchronous standby succeeds with a warning. The write may be
// lost with the primary, so neither it nor its repetition is acknowledged.
func TestACommitThatIsNotReplicatedIsNotAcknowledged(t *testing.T) {
	onPostgres(t)
	dsn := pgtest.URL(t)
	f, setUp := newDatabaseOn(t, dsn, store.Options{})
	db := open(t, withParam(t, dsn, "synchronous_commit", "on"), store.Options{})
	defer db.Close()
	for _, write := range []func(context.Context, rules.Tx) error{
		func(ctx context.Context, tx rules.Tx) error {
			p := tx.Provider()
			p.ActiveTokens++
			return tx.SaveProvider(ctx, p)
		},
		func(context.Context, rules.Tx) error { return nil }, // its repetition, which only reads
	} {
		result := make(chan error, 1)
		go func() { result <- db.Update(t.Context(), f.p, write) }()
		cancelSynchronousCommit(t, dsn)
		wantFault(t, <-result, "standby did not confirm the write")
	}
	if p, err := setUp.ProviderByName(t.Context(), "Provedor"); err != nil || p.ActiveTokens != 1 {
		t.Errorf("got %d, %v, want the write to be there", p.ActiveTokens, err)
	}
}

// cancelSynchronousCommit waits for a COMMIT that waits for the standby, and cancels it.
func cancelSynchronousCommit(t *testing.T, dsn string) {
	t.Helper()
	const cancel = `SELECT pg_cancel_backend(pid)::text FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'`
	for len(pgtest.Column(t, dsn, cancel)) == 0 {
		<-time.After(5 * time.Millisecond)
	}
}

// If one connection to a host is dead, the others are dropped too, without a wait for each.
func TestAHostThatVanishesIsLeftAtOnce(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	dsn := pgtest.URL(t)
	first, second := pgtest.NewProxy(t, dsn), pgtest.NewProxy(t, dsn)
	u, err := url.Parse(first.URL)
	must(t, err)
	other, err := url.Parse(second.URL)
	must(t, err)
	u.Host += "," + other.Host
	f, db := newDatabaseOn(t, withParam(t, u.String(), "connect_timeout", "1"), store.Options{})
	var begun, calls sync.WaitGroup
	const many = 8 // number of connections
	begun.Add(many)
	for range many {
		calls.Go(func() {
			err := db.View(t.Context(), f.p, func(context.Context, rules.Tx) error { begun.Done(); begun.Wait(); return nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	<-time.After(1100 * time.Millisecond) // an idle connection is tried after a second
	first.Stall()
	if _, err := db.ProviderByName(t.Context(), "Provedor"); err != nil {
		t.Errorf("the first call afterwards: %v", err)
	}
	first.Cut() // first, so that closing waits for no connection
}
