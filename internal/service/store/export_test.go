package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// Unreadable runs a statement that the database cannot parse.
func Unreadable(ctx context.Context, t rules.Tx) error {
	return t.(*tx).exec(ctx, `DELETE FROM nowhere`)
}

// Within searches with the given time-out.
func Within(ctx context.Context, search func(context.Context) error) error {
	return withSearchTimeout(ctx, search)
}

// recorder is an engine that counts the rows that are read and remembers the statements. A write runs
// with the context of its caller.
type recorder struct {
	engine
	mu     sync.Mutex
	writes int
	rows   int
	texts  []string
	args   [][]any
}

func (r *recorder) submit(ctx context.Context, p domain.ProviderID, fn func(context.Context, *tx) error) error {
	r.writes++
	return r.engine.submit(ctx, p, func(_ context.Context, t *tx) error {
		t.txQuerier = recorded{t.txQuerier, r}
		return fn(ctx, t)
	})
}

// recorded runs statements for a recorder.
type recorded struct {
	txQuerier
	*recorder
}

func (q recorded) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	q.note(query, args)
	return q.txQuerier.query(ctx, query, args, func(r row) error {
		q.mu.Lock()
		q.rows++
		q.mu.Unlock()
		return scan(r)
	})
}

func (q recorded) queue(ctx context.Context, query string, args ...any) error {
	q.note(query, args)
	return q.txQuerier.queue(ctx, query, args...)
}

func (r *recorder) note(query string, args []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts, r.args = append(r.texts, query), append(r.args, args)
}

// WritesOf returns how many writes do makes, one after the other.
func WritesOf(db *DB, do func() error) (int, error) {
	r := &recorder{engine: db.engine}
	defer func() { db.engine = r.engine }()
	db.engine = r
	err := do()
	return r.writes, err
}

// RowsOf returns how many rows are read while do runs, and the plan of each statement.
func RowsOf(ctx context.Context, db *DB, do func() error) (rows int, plans string, err error) {
	before := *db
	r := &recorder{engine: db.engine}
	db.engine, db.read = r, recorded{readOnly{db.read}, r}
	err = do()
	*db = before
	explain, line := `EXPLAIN `, ""
	columns := []any{&line}
	if _, file := db.engine.(*sqliteFile); file {
		var id, parent, unused int
		explain, columns = `EXPLAIN QUERY PLAN `, []any{&id, &parent, &unused, &line}
	}
	for i, text := range r.texts {
		err = errors.Join(err, db.read.query(ctx, explain+text, r.args[i], func(r row) error {
			err := r.Scan(columns...)
			plans += line + "\n"
			return err
		}))
	}
	return r.rows, plans, err
}

// WaitForOthers sets how long a write to a file waits for another process that writes.
func (db *DB) WaitForOthers(ctx context.Context, d time.Duration) error {
	f := db.engine.(*sqliteFile)
	return f.betweenTransactions(ctx, func() error {
		f.lockTimeout = d
		return nil
	})
}

// Synchronous sets when the writer waits for the disk.
func (db *DB) Synchronous(ctx context.Context, mode string) error {
	f := db.engine.(*sqliteFile)
	return f.betweenTransactions(ctx, func() error {
		_, err := f.writer.execRows(ctx, `PRAGMA synchronous = `+mode)
		return err
	})
}

// Count returns the number of rows of a table.
func (db *DB) Count(ctx context.Context, table string) (n int, err error) {
	_, err = queryRow(ctx, db.read, `SELECT COUNT(*) FROM `+table, nil, &n)
	return n, err
}

// The bounds of the write queue.
const (
	BulkGroupSize = bulkGroupSize
	GroupSize     = groupSize
	MaxWaiting    = maxWaiting
)

// CheckpointAt sets the number of pages at which the write-ahead log is copied.
func (db *DB) CheckpointAt(pages int) { db.engine.(*sqliteFile).checkpoints.pages = pages }

// HoldCheckpoints keeps the log from being copied until release is called.
func (db *DB) HoldCheckpoints() (release func()) {
	copying := db.engine.(*sqliteFile).checkpoints.copying
	copying <- struct{}{}
	return func() { <-copying }
}

// Log returns the number of pages in the write-ahead log, and the number of copied ones.
func (db *DB) Log(ctx context.Context) (pages, copied int, err error) {
	log, err := checkpoint(ctx, db.read, "NOOP")
	return log.pages, log.copied, err
}

// Snapshot keeps the current state of the database readable until release is called.
func (db *DB) Snapshot(ctx context.Context) (release func(), err error) {
	s, release, err := db.snapshot(ctx)
	if err == nil {
		var n int
		_, err = queryRow(ctx, s, `SELECT COUNT(*) FROM internet_speed`, nil, &n)
	}
	return release, err
}

// ParsePostgres parses a URL without connecting, and returns its servers.
func ParsePostgres(dsn string) ([]string, error) {
	config, err := parsePostgres(dsn)
	if err != nil {
		return nil, err
	}
	return hosts(config.ConnConfig), nil
}

// ParseDSN tells the engines apart.
func ParseDSN(dsn string) (path string, onPostgres bool, err error) { return parseDSN(dsn) }

// PassContexts makes writes run with the context of their caller, whose end then interrupts them.
func (db *DB) PassContexts() { db.engine = &recorder{engine: db.engine} }
