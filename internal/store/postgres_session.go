package store

import (
	"context"
	"database/sql"
	"reflect"
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

// QueryContext runs a query written with ?.
func (s postgresSession) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.on.QueryContext(ctx, s.pg.numbered(query), plain(args)...)
}

// ExecContext runs a statement written with ?.
func (s postgresSession) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return s.on.ExecContext(ctx, s.pg.numbered(query), plain(args)...)
}

// postgresReaders are the pool, outside of transactions.
type postgresReaders struct{ postgresSession }

// guard implements guard.
func (r postgresReaders) guard(ctx context.Context) (context.Context, func(error) error) {
	bounded, cancel := context.WithTimeout(ctx, r.pg.timeout)
	return bounded, func(err error) error {
		cancel()
		if ctx.Err() != nil {
			return err
		}
		return postgresError(err)
	}
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
			all[i] = underlying(reflect.ValueOf(a))
		}
	}
	return all
}

func underlying(v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint())
	case v.Kind() == reflect.String:
		return clean(v.String())
	}
	return v.Interface()
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
