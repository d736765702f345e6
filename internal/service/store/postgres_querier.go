package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// postgresQuerier runs statements outside write transactions, on the pool or on one connection.
type postgresQuerier struct {
	pg *postgresPool
	db interface {
		Query(context.Context, string, ...any) (pgx.Rows, error)
	}
	timeout time.Duration // of a query; 0: none
}

// readers returns a querier that uses any connection of the pool.
func (pg *postgresPool) readers() postgresQuerier { return postgresQuerier{pg, pg.pool, pg.timeout} }

// The lock of the products: shared by writes that rely on what they read of them, exclusive for a
// change. In its database only this program uses the key.
const (
	productsLock  = `418564896368` // 0x6174697670, "ativp"
	shareProducts = `SELECT pg_advisory_xact_lock_shared(` + productsLock + `)`
)

var postgresDialect = &dialect{
	isPostgres: true, migrations: "migrations/postgres", goose: goose.DialectPostgres,
	among:             `= ANY (?)`,
	tables:            `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()`,
	forUpdate:         ` FOR NO KEY UPDATE`, // excludes our own writes like FOR UPDATE, but permits checks of foreign keys
	lockProducts:      `SELECT pg_advisory_xact_lock(` + productsLock + `)`,
	skipLocked:        ` FOR UPDATE SKIP LOCKED`,
	isUniqueViolation: func(err error) bool { return postgresCode(err) == uniqueViolation },
	endsTransaction:   func(err error) bool { return retryable(err) || connectionLost(err) || temporary(err) },
}

func (s postgresQuerier) dialect() *dialect { return postgresDialect }

func (s postgresQuerier) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if s.timeout > 0 {
		bounded, cancel = context.WithTimeout(ctx, s.timeout)
	}
	defer cancel()
	rows, err := s.db.Query(bounded, s.pg.numbered(query), driverValues(args)...)
	if err == nil {
		err = scanRows(rows, scan)
	}
	if ctx.Err() != nil {
		return err
	}
	return explain(s.pg.where, err)
}

func scanRows(rows pgx.Rows, scan func(row) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// snapshot implements engine.
func (pg *postgresPool) snapshot(ctx context.Context) (querier, func(), error) {
	tx, err := pg.beginSnapshot(ctx)
	if err != nil {
		return nil, nil, explain(pg.where, err)
	}
	release := func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), pg.timeout)
		defer cancel()
		_ = tx.Rollback(bounded) // read-only, so the error does not matter
	}
	return postgresQuerier{pg, tx, pg.timeout}, release, nil
}

func (pg *postgresPool) beginSnapshot(ctx context.Context) (pgx.Tx, error) {
	bounded, cancel := context.WithTimeout(ctx, pg.timeout)
	defer cancel()
	return pg.pool.BeginTx(bounded, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead})
}

// numbered replaces each ? with $1, $2 and so on.
func (pg *postgresPool) numbered(query string) string {
	if known, ok := pg.queries.Load(query); ok {
		return known.(string)
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(query, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	pg.queries.Store(query, b.String())
	return b.String()
}

// driverValues converts arguments into types whose database type the driver knows without asking
// the server.
func driverValues(args []any) []any {
	all := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case nil, int64, bool, float64, []byte, []int64, []*int64, []float64, [][]byte, []bool, pgx.QueryExecMode:
			all[i] = a
		case string:
			all[i] = cleanText(v)
		case []string:
			all[i] = cleanTexts(v)
		default:
			all[i] = underlying(a)
			if text, ok := all[i].(string); ok {
				all[i] = cleanText(text)
			}
		}
	}
	return all
}

// cleanText removes or replaces what PostgreSQL cannot store in a text: the zero byte, and bytes
// that are not UTF-8.
func cleanText(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

func cleanTexts(all []string) []string {
	for i, s := range all {
		all[i] = cleanText(s)
	}
	return all
}
