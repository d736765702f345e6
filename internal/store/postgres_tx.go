package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// postgresTx runs the statements of one transaction on its connection. Those that
// are queued go to the server together with the next one whose result is needed:
// a message there and back costs both programs as much as a short statement.
type postgresTx struct {
	pg      *postgresPool
	conn    *pgx.Conn
	queued  []*pgx.QueuedQuery
	before  int  // how many of them are of earlier writes
	changed bool // a statement of the present write has changed rows
}

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

func (s *postgresTx) queue(_ context.Context, query string, args ...any) error {
	s.enqueue(query, args)
	return nil
}

func (s *postgresTx) flush(ctx context.Context) error {
	_, err := s.send(ctx, nil)
	return err
}

func (s *postgresTx) drop() { s.queued = nil }

func (s *postgresTx) enqueue(query string, args []any) {
	s.queued = append(s.queued, &pgx.QueuedQuery{SQL: s.pg.numbered(query), Arguments: driverValues(args)})
}

// send runs what is queued. The rows of the last statement go to scan, or it
// returns how many that one has changed.
func (s *postgresTx) send(ctx context.Context, scan func(row) error) (rows int64, err error) {
	if len(s.queued) == 0 {
		return 0, nil
	}
	batch := &pgx.Batch{QueuedQueries: s.queued}
	last, before := len(s.queued)-1, s.before
	s.queued, s.before = nil, 0
	results := s.conn.SendBatch(ctx, batch)
	defer func() {
		if end := results.Close(); err == nil {
			err = end
		}
	}()
	for i := range last {
		done, err := results.Exec()
		if err != nil {
			return 0, err
		}
		s.changed = s.changed || i >= before && done.RowsAffected() > 0 && !done.Select()
	}
	if scan == nil {
		done, err := results.Exec()
		s.changed = s.changed || last >= before && done.RowsAffected() > 0
		return done.RowsAffected(), err
	}
	answer, err := results.Query()
	if err != nil {
		return 0, err
	}
	err = scanRows(answer, scan)
	done := answer.CommandTag()
	s.changed = s.changed || done.RowsAffected() > 0 && !done.Select()
	return 0, err
}

// startWrite begins to watch what the next write changes.
func (s *postgresTx) startWrite() { s.before, s.changed = len(s.queued), false }

// undo takes a failed write back. It reports false when it cannot, because the
// write has changed rows or one of its statements failed.
func (s *postgresTx) undo() bool {
	if s.changed || s.conn.PgConn().TxStatus() == txFailed {
		return false
	}
	s.queued = s.queued[:s.before]
	return true
}

// txFailed is the status of a transaction in which a statement failed: PostgreSQL
// runs no other one in it.
const txFailed = 'E'
