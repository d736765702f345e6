package store

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
)

const (
	// maxMessages is the maximum number of messages with shared reads in progress: the next one is
	// written while one is answered.
	maxMessages = 2
	maxShared   = 32 // reads in one message
)

// sharedReaders runs reads of a few rows, one for each of many clients. Reads that arrive while
// others are in progress go to the database in one message, because a message costs both sides
// more than a read of a few rows. It is safe for concurrent use.
type sharedReaders struct {
	postgresQuerier

	mu      sync.Mutex
	waiting []*sharedRead
	running int // messages in progress
}

type sharedRead struct {
	query  *pgx.QueuedQuery
	result chan error // receives one value

	mu   sync.Mutex
	scan func(row) error // nil: the caller has returned
}

// scanRow passes a row to the caller, unless the caller has returned.
func (s *sharedRead) scanRow(r row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scan == nil {
		return context.Canceled
	}
	return s.scan(r)
}

// abandon waits for a running call of scan and prevents further ones.
func (s *sharedRead) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scan = nil
}

// query runs a read. scan is not called after query has returned.
func (r *sharedReaders) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	read := &sharedRead{
		query:  &pgx.QueuedQuery{SQL: r.pg.numbered(query), Arguments: driverValues(args)},
		result: make(chan error, 1), scan: scan,
	}
	r.mu.Lock()
	r.waiting = append(r.waiting, read)
	if r.running < maxMessages {
		r.running++
		go r.run()
	}
	r.mu.Unlock()
	select {
	case err := <-read.result:
		return postgresError(err)
	case <-ctx.Done():
		read.abandon()
		return ctx.Err()
	}
}

// run sends messages until no read waits.
func (r *sharedReaders) run() {
	for reads := r.take(); len(reads) > 0; reads = r.take() {
		r.send(reads)
	}
}

func (r *sharedReaders) take() []*sharedRead {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.waiting), maxShared)
	reads := r.waiting[:n:n]
	if r.waiting = r.waiting[n:]; n == 0 {
		r.running--
	}
	return reads
}

func (r *sharedReaders) send(reads []*sharedRead) {
	// A canceled caller must not interrupt reads that others wait for.
	ctx, cancel := context.WithTimeout(context.Background(), r.pg.timeout)
	defer cancel()
	message := &pgx.Batch{}
	for _, read := range reads {
		message.QueuedQueries = append(message.QueuedQueries, read.query)
	}
	results := r.pg.pool.SendBatch(ctx, message)
	defer results.Close()
	for _, read := range reads {
		rows, err := results.Query()
		if err == nil {
			err = scanRows(rows, read.scanRow)
		}
		read.result <- err
	}
}
