package store_test

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
)

// A write that waits for another process says so, and ends with its caller or with the time for it;
// reads continue.
func TestALockedDatabaseIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		longest time.Duration
		waiting func(held *sql.Tx, cancel func())
		want    func(error) bool
	}{
		"released":  {time.Hour, func(held *sql.Tx, _ func()) { must(t, held.Rollback()) }, func(err error) bool { return err == nil }},
		"cancelled": {time.Hour, func(_ *sql.Tx, cancel func()) { cancel() }, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"locked": {50 * time.Millisecond, nil, func(err error) bool {
			return domain.IsCode(err, domain.Unavailable) && strings.Contains(err.Error(), "locked")
		}},
	} {
		path := tempFile(t)
		must(t, open(t, path, store.Options{}).Close())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
		must(t, err)
		defer other.Close()
		held, err := other.BeginTx(t.Context(), nil)
		must(t, err)
		db := open(t, path, store.Options{Waiting: func() { c.waiting(held, cancel) }})
		must(t, db.WaitForOthers(t.Context(), c.longest))
		if err := db.CreateInternetSpeed(ctx, domain.InternetSpeed{ID: 39, Speed: "2 Gbps", Slug: "2-gbps"}); !c.want(err) {
			t.Errorf("%s: got %v", name, err)
		}
		if speeds, err := db.InternetSpeeds(t.Context()); err != nil || len(speeds) < 38 {
			t.Errorf("%s: got %d speeds, %v", name, len(speeds), err)
		}
		must(t, db.Close())
	}
}

// A command of the operator gets its turn beside a server that writes without a pause.
func TestAnotherProcessWritesBesideABusyServer(t *testing.T) {
	t.Parallel()
	path := tempFile(t)
	f, _ := newDatabaseOn(t, path, store.Options{})
	command := open(t, path, store.Options{})
	defer func() { must(t, command.Close()) }()
	must(t, command.WaitForOthers(t.Context(), time.Hour))
	bulk, stop := context.WithCancel(domain.WithBulk(t.Context()))
	var imports sync.WaitGroup
	defer imports.Wait()
	defer stop()
	for range 4 {
		imports.Go(func() {
			for bulk.Err() == nil {
				_ = f.db.Update(bulk, f.p, func(context.Context, rules.Tx) error { time.Sleep(25 * time.Millisecond); return nil })
			}
		})
	}
	for range 5 {
		for f.db.WaitingWrites() == 0 {
			runtime.Gosched()
		}
		must(t, command.Update(t.Context(), f.p, func(context.Context, rules.Tx) error { return nil }))
	}
}
