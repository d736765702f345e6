package store

import (
	"context"
	"reflect"
)

// querier runs statements, inside or outside a transaction. Statements are written
// once, with ? for parameters; a ? stands for nothing else. A parameter is nil,
// a number, a text, a truth value, a []byte, or of a type made of one of them.
type querier interface {
	// query calls scan for each row; a row is valid until scan returns.
	query(ctx context.Context, query string, args []any, scan func(row) error) error
	// execRows runs a statement and returns how many rows it inserted, changed or deleted.
	execRows(ctx context.Context, query string, args ...any) (rows int64, err error)
	dialect() *dialect
}

// row is one row of a result. Scan takes pointers to what [querier] takes as
// parameters, and whatever implements sql.Scanner; only the latter take NULL.
type row interface{ Scan(targets ...any) error }

// dialect holds the differences in SQL between the engines.
type dialect struct {
	arrayParams       bool             // a parameter may be an array, so that one statement takes any number of rows
	forUpdate         string           // ends a SELECT of rows that the transaction will change
	skipLocked        string           // the same, and leaves out what another transaction holds
	foldedColumn      bool             // what can be searched stands in subscriber.folded, not in memory
	isUniqueViolation func(error) bool // the error is that of a unique constraint
}

// queryRow reads the one row of a query, if there is one.
func queryRow(ctx context.Context, s querier, query string, args []any, scan func(row) error) (found bool, err error) {
	err = s.query(ctx, query, args, func(r row) error {
		found = true
		return scan(r)
	})
	return found, err
}

func list[T any](ctx context.Context, s querier, scan func(row, *T) error, query string, args ...any) ([]T, error) {
	return appendRows(ctx, s, nil, scan, query, args...)
}

func appendRows[T any](ctx context.Context, s querier, all []T, scan func(row, *T) error, query string, args ...any) ([]T, error) {
	err := s.query(ctx, query, args, func(r row) error {
		var v T
		err := scan(r, &v)
		all = append(all, v)
		return err
	})
	return all, err
}

// scanInto scans a row whose columns are read as they are.
func scanInto(targets ...any) func(row) error {
	return func(r row) error { return r.Scan(targets...) }
}

// underlying turns a value of a named type into one of the type it is made of.
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
