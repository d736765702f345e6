package store

import (
	"context"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"ativa/internal/service/domain"
)

// querier runs statements, inside or outside a transaction. Statements are written once for both
// engines, with ? only for parameters. A parameter is nil, a number, a string, a bool, a []byte,
// or of a type based on one of them.
type querier interface {
	// query calls scan for each row; a row is valid until scan returns.
	query(ctx context.Context, query string, args []any, scan func(row) error) error
	// execRows runs a statement and returns how many rows it inserted, changed or deleted.
	execRows(ctx context.Context, query string, args ...any) (rows int64, err error)
	dialect() *dialect
}

// txQuerier runs the statements of a transaction.
type txQuerier interface {
	querier
	// queue runs a statement now, or later together with the next one, in order. Its error may be
	// returned by that one or by flush.
	queue(ctx context.Context, query string, args ...any) error
	// flush runs the queued statements.
	flush(ctx context.Context) error
}

// row is one row of a result. Scan accepts pointers to the parameter types of [querier], what
// fastInt returns, and any sql.Scanner. Only the last accepts NULL.
type row interface{ Scan(targets ...any) error }

// dialect holds the differences in SQL between the engines.
type dialect struct {
	arrayParams       bool             // a parameter may be an array, so that one statement takes any number of rows
	forUpdate         string           // ends a SELECT of rows that the transaction will change
	lockProducts      string           // statement that gives a transaction the exclusive lock of the products
	skipLocked        string           // like forUpdate, and skips rows that another transaction has locked
	foldedColumn      bool             // the searchable text is in subscriber.folded, not in memory
	migrations        string           // folder of the versions of the schema
	goose             goose.Dialect    // the same engine's for migrations
	haveTables        string           // query that reports for two names whether they are tables
	isUniqueViolation func(error) bool // reports whether a unique constraint was violated
	endsTransaction   func(error) bool // reports whether rolling back to a savepoint is impossible or useless after the error
}

// queryRow reads the only row of a query, if there is one.
func queryRow(ctx context.Context, s querier, query string, args []any, scan func(row) error) (found bool, err error) {
	err = s.query(ctx, query, args, func(r row) error {
		found = true
		return scan(r)
	})
	return found, err
}

func list[T any](ctx context.Context, s querier, scan func(row, *T) error, query string, args ...any) (all []T, err error) {
	err = s.query(ctx, query, args, func(r row) error {
		var v T
		all = append(all, v)
		return scan(r, &all[len(all)-1]) // in place, because v would be allocated for each row
	})
	return all, err
}

// scanInto returns a function that scans the columns of a row unchanged.
func scanInto(targets ...any) func(row) error {
	return func(r row) error { return r.Scan(targets...) }
}

// underlying converts a value of a named type to its underlying type.
func underlying(value any) any {
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint())
	case v.Kind() == reflect.String:
		return v.String()
	}
	return value
}

// whereClause is a list of conditions joined by AND.
type whereClause struct {
	parts []string
	args  []any
}

func (c *whereClause) add(condition string, args ...any) {
	c.parts, c.args = append(c.parts, condition), append(c.args, args...)
}

func (c *whereClause) sql() string {
	if len(c.parts) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(c.parts, ` AND `)
}

// addIn adds the condition that the column has one of the values, none if there are no
// values.
func addIn[T any](c *whereClause, column string, values []T) {
	if len(values) == 0 {
		return
	}
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	c.add(column+` IN (`+placeholders(len(values))+`)`, args...)
}

// limitArg returns n, or for 0 a number that means no limit.
func limitArg(n int) int64 {
	if n == 0 {
		return math.MaxInt64
	}
	return int64(n)
}

// statuses returns the ids of the statuses as the list of an IN condition.
func statuses(all ...domain.Status) string {
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = strconv.Itoa(int(s))
	}
	return `(` + strings.Join(ids, `, `) + `)`
}
