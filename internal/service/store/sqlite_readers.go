package store

import (
	"context"
	"errors"
	"sync"
)

// maxReaders is the maximum number of connections that read a file at the same time.
const maxReaders = 8

// sqliteReaders is a pool of connections that read a file outside transactions.
// The connection used last is used next, because its cache is warmest; another is
// opened when all are busy. It is safe for concurrent use.
type sqliteReaders struct {
	path   string
	files  sqliteFiles   // empty while the database is being opened
	busy   chan struct{} // one value per busy connection
	closed chan struct{}

	mu   sync.Mutex
	idle []*sqliteConn
}

func (r *sqliteReaders) dialect() *dialect { return sqliteDialect }

func (r *sqliteReaders) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	s, release, err := r.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	return s.query(ctx, query, args, scan)
}

// take waits for a connection. The end of the context interrupts its statements. release returns
// it and rolls back a transaction that is still open.
func (r *sqliteReaders) take(ctx context.Context) (s *sqliteConn, release func(), err error) {
	select {
	case r.busy <- struct{}{}:
	case <-r.closed:
		return nil, nil, unavailable("the database is closed", nil)
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if err = r.files.overwritten(); err == nil {
		if s = r.takeIdle(); s == nil {
			s, err = r.open()
		}
	}
	if err != nil {
		<-r.busy
		return nil, nil, err
	}
	done := s.interruptOn(ctx)
	return s, func() {
		done()
		if !s.conn.AutocommitEnabled() {
			_, _ = s.execRows(context.Background(), `ROLLBACK`) // read-only, so the error does not matter
		}
		r.mu.Lock()
		r.idle = append(r.idle, s)
		r.mu.Unlock()
		<-r.busy
	}, nil
}

// snapshot implements engine.
func (db *sqliteFile) snapshot(ctx context.Context) (querier, func(), error) {
	s, release, err := db.readers.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.execRows(ctx, `BEGIN`); err != nil {
		release()
		return nil, nil, err
	}
	return s, release, nil
}

// takeIdle returns the idle connection that was used last, or nil.
func (r *sqliteReaders) takeIdle() *sqliteConn {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.idle)
	if n == 0 {
		return nil
	}
	s := r.idle[n-1]
	r.idle = r.idle[:n-1]
	return s
}

func (r *sqliteReaders) open() (*sqliteConn, error) {
	if err := r.files.check(); err != nil { // it would open different files
		return nil, err
	}
	s, err := openSQLiteConn(r.path)
	if err != nil {
		return nil, err
	}
	if err := s.configure(`cache_size = -8192`, `query_only = 1`); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close waits for the queries in progress and closes all connections.
func (r *sqliteReaders) close() error {
	close(r.closed)
	var errs []error
	for range maxReaders {
		r.busy <- struct{}{}
	}
	for s := r.takeIdle(); s != nil; s = r.takeIdle() {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}
