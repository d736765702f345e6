package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// postgresTx runs the statements of one transaction on its connection. Queued statements go to the
// server together with the next one whose result is needed, because a round trip costs both sides
// as much as a short statement.
type postgresTx struct {
	pg     *postgresPool
	conn   *pgx.Conn
	queued []*pgx.QueuedQuery
}

func (s *postgresTx) dialect() *dialect { return postgresDialect }

func (s *postgresTx) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	_ = s.queue(ctx, query, args...)
	_, err := s.send(ctx, scan)
	return err
}

func (s *postgresTx) execRows(ctx context.Context, query string, args ...any) (int64, error) {
	_ = s.queue(ctx, query, args...)
	return s.send(ctx, nil)
}

// queue implements txQuerier. It returns no error.
func (s *postgresTx) queue(_ context.Context, query string, args ...any) error {
	s.queued = append(s.queued, &pgx.QueuedQuery{SQL: s.pg.numbered(query), Arguments: driverValues(args)})
	return nil
}

func (s *postgresTx) flush(ctx context.Context) error {
	_, err := s.send(ctx, nil)
	return err
}

// send runs the queued statements. The rows of the last one go to scan; if scan is nil, send
// returns how many rows that one changed.
func (s *postgresTx) send(ctx context.Context, scan func(row) error) (rows int64, err error) {
	if len(s.queued) == 0 {
		return 0, nil
	}
	last := len(s.queued) - 1
	results := s.conn.SendBatch(ctx, &pgx.Batch{QueuedQueries: s.queued})
	s.queued = nil
	defer func() {
		if end := results.Close(); err == nil {
			err = end
		}
	}()
	for range last {
		if _, err := results.Exec(); err != nil {
			return 0, err
		}
	}
	if scan == nil {
		done, err := results.Exec()
		return done.RowsAffected(), err
	}
	answer, err := results.Query()
	if err != nil {
		return 0, err
	}
	return 0, scanRows(answer, scan)
}
