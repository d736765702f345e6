package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// postgresSession runs statements on the pool or on one connection.
type postgresSession struct {
	pg *postgresPool
	on interface {
		QueryContext(context.Context, string, ...any) (*sql.Rows, error)
		ExecContext(context.Context, string, ...any) (sql.Result, error)
	}
}

var postgresDialect = &dialect{
	arrays: true, texts: true,
	lock:       ` FOR NO KEY UPDATE`, // as strong as FOR UPDATE among ourselves; foreign keys may be checked beside it
	skipLocked: ` FOR UPDATE SKIP LOCKED`,
	violated:   func(err error) bool { return postgresCode(err) == uniqueViolation },
}

func (s postgresSession) dialect() *dialect { return postgresDialect }

// query implements session.
func (s postgresSession) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	rows, err := s.on.QueryContext(ctx, s.pg.numbered(query), plain(args)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// run implements session.
func (s postgresSession) run(ctx context.Context, query string, args ...any) (int64, error) {
	done, err := s.on.ExecContext(ctx, s.pg.numbered(query), plain(args)...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// postgresReaders are the pool, outside of transactions. They bound the time
// of a query and say what its error means.
type postgresReaders struct{ postgresSession }

// query implements session.
func (r postgresReaders) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	bounded, cancel := context.WithTimeout(ctx, r.pg.timeout)
	defer cancel()
	err := r.postgresSession.query(bounded, query, args, scan)
	if ctx.Err() != nil {
		return err
	}
	return postgresError(err)
}

// numbered writes $1, $2 … for each ?.
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

// plain turns arguments into types of which the driver knows the type of the
// database without asking it.
func plain(args []any) []any {
	all := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case nil, int64, bool, float64, []byte, []int64, []*int64, []float64, [][]byte, []bool, pgx.QueryExecMode:
			all[i] = a
		case string:
			all[i] = clean(v)
		case []string:
			all[i] = cleanAll(v)
		default:
			all[i] = underlying(a)
			if text, ok := all[i].(string); ok {
				all[i] = clean(text)
			}
		}
	}
	return all
}

// clean leaves out what PostgreSQL cannot keep in a text: the zero byte, and
// bytes that are not UTF-8.
func clean(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func cleanAll(all []string) []string {
	for i, s := range all {
		all[i] = clean(s)
	}
	return all
}
