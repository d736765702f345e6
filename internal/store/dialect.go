package store

import (
	"context"
	"database/sql"
)

// querier runs a query: a session, or a transaction of database/sql.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// session runs statements, in a transaction or outside. Statements are written
// once, with ? for parameters; a ? stands for nothing else.
type session interface {
	querier
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	dialect() *dialect
}

// dialect holds the few places where the databases differ.
type dialect struct {
	arrays     bool             // a parameter may be an array, so that one statement takes any number of rows
	lock       string           // ends a SELECT of rows that the transaction will change
	skipLocked string           // the same, and leaves out what another transaction holds
	texts      bool             // what can be searched stands in subscriber.folded, not in memory
	violated   func(error) bool // the error is that of a unique constraint
}

// guard is a session that bounds the time of its queries and says what their
// errors mean.
type guard interface {
	guard(context.Context) (_ context.Context, done func(error) error)
}

// scanAll calls scan for every row.
func scanAll(ctx context.Context, q querier, query string, args []any, scan func(*sql.Rows) error) (err error) {
	if g, ok := q.(guard); ok {
		var done func(error) error
		ctx, done = g.guard(ctx)
		defer func() { err = done(err) }()
	}
	rows, err := q.QueryContext(ctx, query, args...)
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

// scanRow reads the one row of a query, if there is one.
func scanRow(ctx context.Context, q querier, query string, args []any, scan func(*sql.Rows) error) (found bool, err error) {
	err = scanAll(ctx, q, query, args, func(rows *sql.Rows) error {
		found = true
		return scan(rows)
	})
	return found, err
}

// list gathers the rows of a query.
func list[T any](ctx context.Context, q querier, scan func(*sql.Rows, *T) error, query string, args ...any) ([]T, error) {
	var all []T
	err := scanAll(ctx, q, query, args, func(rows *sql.Rows) error {
		var v T
		err := scan(rows, &v)
		all = append(all, v)
		return err
	})
	return all, err
}

// into scans a row whose columns are read as they are.
func into(targets ...any) func(*sql.Rows) error {
	return func(rows *sql.Rows) error { return rows.Scan(targets...) }
}
