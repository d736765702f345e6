package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// LimitPages limits the file to the given number of pages of 4 KiB, like a nearly full disk.
func (db *DB) LimitPages(ctx context.Context, more int) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		var pages int
		if _, err := queryRow(ctx, t, `PRAGMA page_count`, nil, &pages); err != nil {
			return err
		}
		_, err := queryRow(ctx, t, fmt.Sprintf(`PRAGMA max_page_count(%d)`, pages+more), nil, &pages)
		return err
	})
}

// Conditions returns the SQL conditions for a service with these statuses: whether it holds a token,
// and whether it is enabled.
func (db *DB) Conditions(ctx context.Context, status, lastStable domain.Status) (holds, enabled bool, err error) {
	_, err = queryRow(ctx, db.read, `SELECT CASE WHEN `+holdsToken()+` THEN 1 ELSE 0 END = 1, CASE WHEN `+isEnabled()+` THEN 1 ELSE 0 END = 1
		FROM (SELECT CAST(? AS INTEGER) AS status_id, CAST(? AS INTEGER) AS last_stable_status_id) v`, []any{status, lastStable}, &holds, &enabled)
	return holds, enabled, err
}

// Unreadable runs a statement that the database cannot parse.
func Unreadable(ctx context.Context, t rules.Tx) error {
	return t.(*tx).exec(ctx, `DELETE FROM nowhere`)
}

// Within searches with the given time-out.
func Within(ctx context.Context, search func(context.Context) error) error {
	return withSearchTimeout(ctx, search)
}

// ReadUrgentJobs reads the urgent e-mails as ClaimJobs does.
func (db *DB) ReadUrgentJobs(ctx context.Context) error {
	return db.read.query(ctx, claimableJobs(`j.urgent`), []any{domain.EmailJob, 0, time.Now().UnixMicro(), 3}, func(row) error { return nil })
}

// ReadLookUps looks up many subscribers and services on PostgreSQL, as an import does.
func (db *DB) ReadLookUps(ctx context.Context, p domain.ProviderID) error {
	first, _ := p.Subscribers()
	_, err := servicesOf(ctx, db.read, []domain.SubscriberID{first + 1, first + 2})
	return errors.Join(err, db.read.query(ctx, `SELECT s.id`+subscribersOfMany, []any{[]int64{1, 2, 3}, p}, func(row) error { return nil }))
}

// recordedReads counts the rows that are read and remembers the queries.
type recordedReads struct {
	querier
	mu      sync.Mutex
	rows    int
	queries []recordedQuery
}

type recordedQuery struct {
	text string
	args []any
}

func (c *recordedReads) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	c.mu.Lock()
	c.queries = append(c.queries, recordedQuery{query, args})
	c.mu.Unlock()
	return c.querier.query(ctx, query, args, func(r row) error {
		c.mu.Lock()
		c.rows++
		c.mu.Unlock()
		return scan(r)
	})
}

// RowsOf returns how many rows are read while do runs, and the plan of each query.
func RowsOf(ctx context.Context, db *DB, do func() error) (rows int, plans string, err error) {
	read := db.read
	c := &recordedReads{querier: read}
	db.read = c
	err = do()
	db.read = read
	explain, line := `EXPLAIN `, ""
	columns := []any{&line}
	if _, file := db.engine.(*sqliteFile); file {
		var id, parent, unused int
		explain, columns = `EXPLAIN QUERY PLAN `, []any{&id, &parent, &unused, &line}
	}
	for _, q := range c.queries {
		err = errors.Join(err, read.query(ctx, explain+q.text, q.args, func(r row) error {
			err := r.Scan(columns...)
			plans += line + "\n"
			return err
		}))
	}
	return c.rows, plans, err
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

// ReadEmailsOf reads the e-mails that RestartEmails changes.
func (db *DB) ReadEmailsOf(ctx context.Context, id domain.SubscriberID) error {
	first, last := id.Services()
	_, err := list(ctx, db.read, only[int64], `SELECT id FROM job WHERE `+openOfSubscriber, first, last, domain.EmailJob, domain.JobDone, domain.JobDead)
	return err
}

// Prepared returns the number of statements prepared on a connection to PostgreSQL, including the one
// that counts them.
func Prepared(ctx context.Context, db *DB) (n int, err error) {
	_, err = queryRow(ctx, db.read, `SELECT COUNT(*) FROM pg_prepared_statements`, nil, &n)
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
func (db *DB) PassContexts() { db.engine = passingEngine{db.engine} }

type passingEngine struct{ engine }

func (e passingEngine) submit(ctx context.Context, p domain.ProviderID, fn func(context.Context, *tx) error) error {
	return e.engine.submit(ctx, p, func(_ context.Context, t *tx) error { return fn(ctx, t) })
}
