package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// postgresTx runs the statements of one transaction on its connection. Those that
// are queued go to the server together with the next one whose result is needed:
// a message there and back costs both programs as much as a short statement. One
// of many rows goes at once, and runs while the next is prepared.
type postgresTx struct {
	pg      *postgresPool
	conn    *pgx.Conn
	queued  []*pgx.QueuedQuery
	before  int           // how many of them are of earlier writes
	running *runningBatch // was sent; its results are not read
	changed bool          // a statement of the present write has changed rows
}

// runningBatch is a batch that was sent.
type runningBatch struct {
	pgx.BatchResults
	statements int
	before     int // as of postgresTx
}

// manyValues is the number of values of a statement from which it is sent at once.
const manyValues = 500

func (s *postgresTx) dialect() *dialect { return postgresDialect }

func (s *postgresTx) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	s.enqueue(query, args)
	_, err := s.send(ctx, scan)
	return err
}

func (s *postgresTx) execRows(ctx context.Context, query string, args ...any) (int64, error) {
	s.enqueue(query, args)
	return s.send(ctx, nil)
}

func (s *postgresTx) queue(ctx context.Context, query string, args ...any) error {
	s.enqueue(query, args)
	if numberOfValues(args) < manyValues {
		return nil
	}
	if err := s.finish(); err != nil {
		return err
	}
	s.start(ctx)
	return nil
}

// numberOfValues counts those of arrays, of which the numbers are the most.
func numberOfValues(args []any) (n int) {
	for _, a := range args {
		if numbers, ok := a.([]int64); ok {
			n += len(numbers)
		}
	}
	return n
}

func (s *postgresTx) flush(ctx context.Context) error {
	_, err := s.send(ctx, nil)
	return err
}

// drop implements txQuerier. What runs already has its outcome in the transaction.
func (s *postgresTx) drop() {
	_ = s.finish()
	s.queued = nil
}

func (s *postgresTx) enqueue(query string, args []any) {
	s.queued = append(s.queued, &pgx.QueuedQuery{SQL: s.pg.numbered(query), Arguments: driverValues(args)})
}

// start sends what is queued. Its results are read by finish, before anything else
// can be sent.
func (s *postgresTx) start(ctx context.Context) {
	s.running = &runningBatch{s.conn.SendBatch(ctx, &pgx.Batch{QueuedQueries: s.queued}), len(s.queued), s.before}
	s.queued, s.before = nil, 0
}

// finish reads the results of what was started.
func (s *postgresTx) finish() error {
	if s.running == nil {
		return nil
	}
	_, err := s.results(nil)
	return err
}

// send runs what is queued. The rows of the last statement go to scan, or it
// returns how many that one has changed.
func (s *postgresTx) send(ctx context.Context, scan func(row) error) (rows int64, err error) {
	if err := s.finish(); err != nil || len(s.queued) == 0 {
		return 0, err
	}
	s.start(ctx)
	return s.results(scan)
}

func (s *postgresTx) results(scan func(row) error) (rows int64, err error) {
	r := s.running
	s.running = nil
	defer func() {
		if end := r.Close(); err == nil {
			err = end
		}
	}()
	last := r.statements - 1
	for i := range r.statements {
		if i == last && scan != nil {
			break
		}
		done, err := r.Exec()
		if err != nil {
			return 0, err
		}
		rows = done.RowsAffected()
		s.changed = s.changed || i >= r.before && rows > 0 && !done.Select()
	}
	if scan == nil {
		return rows, nil
	}
	answer, err := r.Query()
	if err != nil {
		return 0, err
	}
	err = scanRows(answer, scan)
	done := answer.CommandTag()
	s.changed = s.changed || done.RowsAffected() > 0 && !done.Select()
	return 0, err
}

// startWrite begins to watch what the next write changes.
func (s *postgresTx) startWrite() error {
	err := s.finish()
	s.before, s.changed = len(s.queued), false
	return err
}

// undo takes a failed write back. It reports false when it cannot, because the
// write has changed rows or one of its statements failed.
func (s *postgresTx) undo() bool {
	if s.finish() != nil || s.changed || s.conn.PgConn().TxStatus() == txFailed {
		return false
	}
	s.queued = s.queued[:s.before]
	return true
}

// txFailed is the status of a transaction in which a statement failed: PostgreSQL
// runs no other one in it.
const txFailed = 'E'
