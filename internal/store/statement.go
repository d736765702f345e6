package store

import (
	"context"
	"database/sql"
	"strings"
)

// statement prepares a query once for the writer's connection.
func (t *tx) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := t.db.statements[query]; ok {
		return s, nil
	}
	s, err := t.db.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	t.db.statements[query] = s
	return s, nil
}

func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.ExecContext(ctx, query, args...)
	return err
}

// ExecContext runs a prepared statement of the transaction.
func (t *tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := t.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// QueryContext runs a prepared query of the transaction.
func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// scanRow reads the one row of a query; sql.ErrNoRows when there is none.
func scanRow(ctx context.Context, q querier, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	return scan(rows)
}

// chunkSize is one of the numbers of keys that one query takes: few, so that each
// is prepared once. A shorter list is filled up with its last key.
func chunkSize(n int) int {
	for _, size := range []int{1, 8, 64} {
		if n <= size {
			return size
		}
	}
	return 500
}

// each runs a query whose %s is a list of placeholders over all keys.
func each[K any](ctx context.Context, q querier, query string, before []any, keys []K, scan func(*sql.Rows) error) error {
	for len(keys) > 0 {
		size := chunkSize(len(keys))
		n := min(len(keys), size)
		args := append(make([]any, 0, len(before)+size), before...)
		for i := range size {
			args = append(args, keys[min(i, n-1)])
		}
		keys = keys[n:]
		marks := strings.TrimSuffix(strings.Repeat("?,", size), ",")
		if err := scanAll(ctx, q, strings.Replace(query, "%s", marks, 1), args, scan); err != nil {
			return err
		}
	}
	return nil
}

func scanAll(ctx context.Context, q querier, query string, args []any, scan func(*sql.Rows) error) error {
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

// querier is a transaction or the readers.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// insertSize is how many of n rows the next statement takes: few sizes, so
// that each is prepared once, and large ones, which cost least per row.
func insertSize(n int) int {
	for _, size := range []int{400, 50, 8} {
		if n >= size {
			return size
		}
	}
	return 1
}

// insert writes rows as multi-row VALUES. The values are of the driver's own
// types (int64, string, …): others would be converted by reflection.
func insert[T any](ctx context.Context, t *tx, into string, columns int, rows []T, values func(T) []any) error {
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", columns), ",") + "),"
	for len(rows) > 0 {
		n := insertSize(len(rows))
		args := make([]any, 0, n*columns)
		for _, r := range rows[:n] {
			args = append(args, values(r)...)
		}
		rows = rows[n:]
		if err := t.exec(ctx, into+` VALUES `+strings.TrimSuffix(strings.Repeat(one, n), ","), args...); err != nil {
			return err
		}
	}
	return nil
}

func null(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
