package store

import (
	"context"
	"reflect"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"ativa/internal/service/domain"
)

// querier runs statements, inside or outside a transaction. Statements are written once for both
// engines, with ? only for parameters. A parameter is nil, a number, a string, a bool, a []byte,
// of a type based on one of them, or a []int64.
type querier interface {
	// query calls scan for each row; a row is valid until scan returns.
	query(ctx context.Context, query string, args []any, scan func(row) error) error
	dialect() *dialect
}

// txQuerier runs the statements of a transaction.
type txQuerier interface {
	querier
	// execRows runs a statement and returns how many rows it inserted, changed or deleted.
	execRows(ctx context.Context, query string, args ...any) (rows int64, err error)
	// queue runs a statement now, or later together with the next one, in order. Its error may be
	// returned by that one or by flush.
	queue(ctx context.Context, query string, args ...any) error
	// flush runs the queued statements.
	flush(ctx context.Context) error
}

// row is one row of a result. Scan accepts pointers to the parameter types of [querier], and the
// targets of columns.go. NULL is for times, documents and an any.
type row interface{ Scan(targets ...any) error }

// dialect holds the differences in SQL between the engines.
type dialect struct {
	isPostgres        bool             // a parameter may be an array of any type; the searchable text is in subscriber.folded, not in memory
	among             string           // condition that a column has one of the values of a []int64
	forUpdate         string           // ends a SELECT of rows that the transaction will change
	lockProducts      string           // statement that gives a transaction the exclusive lock of the products
	skipLocked        string           // like forUpdate, and skips rows that another transaction has locked
	migrations        string           // folder of the versions of the schema
	goose             goose.Dialect    // the same engine's for migrations
	tables            string           // query of the names of the tables, on PostgreSQL those of the schema that new tables get
	isUniqueViolation func(error) bool // reports whether a unique constraint was violated
	endsTransaction   func(error) bool // reports whether rolling back to a savepoint is impossible or useless after the error
}

// queryRow reads the only row of a query into targets, if there is one.
func queryRow(ctx context.Context, s querier, query string, args []any, targets ...any) (found bool, err error) {
	err = s.query(ctx, query, args, func(r row) error {
		found = true
		return r.Scan(targets...)
	})
	return found, err
}

// list reads all rows of a query, each into the targets of its element.
func list[T any](ctx context.Context, s querier, targets func(*T) []any, query string, args ...any) (all []T, err error) {
	err = s.query(ctx, query, args, func(r row) error {
		var v T
		all = append(all, v)
		return r.Scan(targets(&all[len(all)-1])...) // in place, because v would be allocated for each row
	})
	return all, err
}

// only returns the target of a query with one column.
func only[T any](to *T) []any { return []any{to} }

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
func addIn[K ~int | ~int64](c *whereClause, d *dialect, column string, values []K) {
	if len(values) > 0 {
		c.add(column+` `+d.among, int64s(values))
	}
}

// statuses returns the ids of the statuses as the list of an IN condition.
func statuses(all ...domain.Status) string {
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = strconv.Itoa(int(s))
	}
	return `(` + strings.Join(ids, `, `) + `)`
}
