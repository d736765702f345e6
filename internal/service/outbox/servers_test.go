package outbox_test

import (
	"context"
	"sync"
	"time"

	"ativa/internal/service/outbox"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
)

// startOtherServer starts another server's worker on the same database, with a clock ahead. stop ends
// it.
func (f *fixture) startOtherServer(ahead time.Duration) (stop func()) {
	f.t.Helper()
	db, err := store.Open(context.Background(), f.path, store.Options{Exclusive: true})
	f.must(err)
	m := servicetest.New(db, servicetest.Options{Clock: func() time.Time { return time.Now().Add(ahead) }})
	ctx, end := context.WithCancel(context.Background())
	var worker sync.WaitGroup
	options := f.options
	options.Feed, options.Purge, options.RecordUse = m, m.Purge, m.RecordUse
	worker.Go(func() { outbox.New(m, m, options).Run(ctx) })
	stop = sync.OnceFunc(func() {
		end()
		worker.Wait()
		f.must(db.Close())
	})
	f.t.Cleanup(stop)
	return stop
}
