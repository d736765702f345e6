package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"zombiezen.com/go/sqlite"

	"ativa/internal/service/domain"
)

// CopiedTables are the tables that a copy takes.
func CopiedTables() []string { return copiedTables() }

// LimitPages lets the file grow by so many pages of 4 KiB, as a disk does that is
// nearly full.
func (db *DB) LimitPages(ctx context.Context, more int) error {
	number := func(n *int) func(row) error { return func(r row) error { return r.Scan(n) } }
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		var pages int
		if _, err := queryRow(ctx, t, `PRAGMA page_count`, nil, number(&pages)); err != nil {
			return err
		}
		_, err := queryRow(ctx, t, fmt.Sprintf(`PRAGMA max_page_count(%d)`, pages+more), nil, number(&pages))
		return err
	})
}

// LookUps are the statements that look one or many up at once, with their arguments
// written in.
func LookUps(provider int) []string {
	subscribers := `SELECT s.document, s.id` + strings.Replace(strings.Replace(subscribersOfMany, "?", "'{1,2,3}'", 1), "?", strconv.Itoa(provider), 1)
	one := subscriberWithServices(postgresDialect)
	one = strings.Replace(strings.Replace(one, "?", strconv.Itoa(provider), 1), "?", "3", 1)
	return []string{subscribers, strings.Replace(servicesOfMany, "?", "'{4096,8192}'", 1), one}
}

// DeliveriesOf is the statement that reads the deliveries of a subscriber.
func DeliveriesOf(id domain.SubscriberID) string {
	first, last := id.Services()
	one := strings.Replace(subscriberDeliveries, "?", strconv.FormatInt(int64(first), 10), 1)
	return strings.Replace(one, "?", strconv.FormatInt(int64(last), 10), 1)
}

// DueDestinations is the statement that looks for destinations of e-mails.
func DueDestinations() string {
	return strings.NewReplacer("kind = ?", "kind = 1", "?", "1").Replace(dueDestinations)
}

// UrgentJobs is the statement that looks for urgent e-mails.
func UrgentJobs() string {
	return strings.NewReplacer("kind = ?", "kind = 1", "?", "1").Replace(claimableJobs(`j.urgent`))
}

// ReadUrgentJobs runs it.
func (db *DB) ReadUrgentJobs(ctx context.Context) error {
	return db.read.query(ctx, UrgentJobs(), nil, func(row) error { return nil })
}

// HistoryOf is the statement that reads the history of a subscriber.
func HistoryOf(id domain.SubscriberID) string {
	return strings.ReplaceAll(historyOfSubscriber, "?", strconv.FormatInt(int64(id), 10))
}

// SubscriberAt is the statement that finds the beginning of a page on PostgreSQL.
func SubscriberAt(p domain.ProviderID, offset, total int) string {
	query, args := subscriberAt(postgresDialect, p, offset, total)
	for _, arg := range args {
		query = strings.Replace(query, "?", fmt.Sprint(underlying(arg)), 1)
	}
	return query
}

// Within is a search that has the time of one.
func Within(ctx context.Context, search func(context.Context) error) error {
	return withTimeout(ctx, searchTimeout, search)
}

// SearchConditions counts the conditions of a search on PostgreSQL.
func SearchConditions(t domain.SearchTerm) int {
	from, _ := matching(1, t)
	return strings.Count(from, ` LIKE `)
}

// countedReads counts the rows that are read.
type countedReads struct {
	querier
	rows    atomic.Int64
	queries []string
	mu      sync.Mutex
}

func (c *countedReads) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	c.mu.Lock()
	c.queries = append(c.queries, query)
	c.mu.Unlock()
	return c.querier.query(ctx, query, args, func(r row) error {
		c.rows.Add(1)
		return scan(r)
	})
}

// RowsOf is how many rows are read while do runs, and the plan
// of SQLite for each query.
func RowsOf(ctx context.Context, db *DB, do func()) (rows int64, plans string, err error) {
	c := &countedReads{querier: db.read}
	db.read = c
	do()
	db.read = c.querier
	if _, file := db.engine.(*sqliteFile); !file {
		return c.rows.Load(), "", nil
	}
	for _, query := range c.queries {
		args := make([]any, strings.Count(query, "?"))
		err = errors.Join(err, db.read.query(ctx, `EXPLAIN QUERY PLAN `+query, args, func(r row) error {
			var id, parent, unused int
			var detail string
			err := r.Scan(&id, &parent, &unused, &detail)
			plans += detail + "\n"
			return err
		}))
	}
	return c.rows.Load(), plans, err
}

// Synchronous sets when the writer waits for the disk.
func (db *DB) Synchronous(ctx context.Context, mode string) error {
	f := db.engine.(*sqliteFile)
	return f.betweenTransactions(ctx, func() error {
		_, err := f.writer.execRows(ctx, `PRAGMA synchronous = `+mode)
		return err
	})
}

// Prepared is how many statements are prepared on a connection to PostgreSQL,
// the one that counts them among them.
func Prepared(ctx context.Context, db *DB) (n int, err error) {
	_, err = queryRow(ctx, db.read, `SELECT COUNT(*) FROM pg_prepared_statements`, nil, scanInto(&n))
	return n, err
}

// Parsed counts how often the writer of SQLite parses a SELECT while do runs.
func (db *DB) Parsed(do func()) (n int, err error) {
	f := db.engine.(*sqliteFile)
	ask := func(a sqlite.Authorizer) error {
		return f.betweenTransactions(context.Background(), func() error { return f.writer.conn.SetAuthorizer(a) })
	}
	begun := ask(sqlite.AuthorizeFunc(func(a sqlite.Action) sqlite.AuthResult {
		if a.Type() == sqlite.OpSelect {
			n++
		}
		return sqlite.AuthResultOK
	}))
	do()
	err = errors.Join(begun, ask(nil))
	return n, err
}

// What the queue of writes is bounded by.
const (
	GroupSize  = groupSize
	MaxWaiting = maxWaiting
)

// MaxConns is how many connections a database on PostgreSQL opens at most.
func MaxConns(db *DB) int { return int(db.engine.(*postgresPool).pool.Config().MaxConns) }

// CheckpointAt sets from how many pages on the write-ahead log is copied.
func (db *DB) CheckpointAt(pages int) { db.engine.(*sqliteFile).checkpoints.pages = pages }

// HoldCheckpoints keeps the log from being copied until release is called.
func (db *DB) HoldCheckpoints() (release func()) {
	c := db.engine.(*sqliteFile).checkpoints
	c.mu.Lock()
	return c.mu.Unlock
}

// Log returns how many pages the write-ahead log has, and how many of them are copied.
func (db *DB) Log(ctx context.Context) (pages, copied int, err error) {
	log, err := checkpoint(ctx, db.read, "NOOP")
	return log.pages, log.copied, err
}

// Snapshot keeps the present state of the database readable until release is called.
func (db *DB) Snapshot(ctx context.Context) (release func(), err error) {
	s, release, err := db.snapshot(ctx)
	if err == nil {
		var n int
		_, err = queryRow(ctx, s, `SELECT COUNT(*) FROM internet_speed`, nil, scanInto(&n))
	}
	return release, err
}

// ParsePostgres parses a URL without connecting, and returns the servers that it names.
func ParsePostgres(dsn string) ([]string, error) {
	config, err := parsePostgres(dsn)
	if err != nil {
		return nil, err
	}
	return hosts(config.ConnConfig), nil
}

// ParseDSN tells the engines apart.
func ParseDSN(dsn string) (path string, onPostgres bool, err error) { return parseDSN(dsn) }

// PassContexts makes writes run with the context of their caller, whose end then breaks
// them off.
func (db *DB) PassContexts() { db.engine = passingEngine{db.engine} }

type passingEngine struct{ engine }

func (e passingEngine) submit(ctx context.Context, p domain.ProviderID, fn func(context.Context, *tx) error) error {
	return e.engine.submit(ctx, p, func(_ context.Context, t *tx) error { return fn(ctx, t) })
}
