package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// listByKeys is like list, for any number of keys. The %s in the query is replaced by the comparison
// with them, as in "WHERE id %s".
func listByKeys[K ~int64, V any](ctx context.Context, s querier, targets func(*V) []any, query string, keys []K) ([]V, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	return list(ctx, s, targets, strings.Replace(query, "%s", s.dialect().among, 1), int64s(keys))
}

// mapByKeys returns the rows of listByKeys in a map, under the keys that keyOf returns.
func mapByKeys[K ~int64, V any](ctx context.Context, s querier, targets func(*V) []any, query string, keys []K, keyOf func(*V) K) (map[K]V, error) {
	all, err := listByKeys(ctx, s, targets, query, keys)
	found := make(map[K]V, len(all))
	for i := range all {
		found[keyOf(&all[i])] = all[i]
	}
	return found, err
}

func int64s[K ~int | ~int64 | ~uint64](keys []K) []int64 {
	all := make([]int64, len(keys))
	for i, k := range keys {
		all[i] = int64(k)
	}
	return all
}

// update runs an UPDATE of one row for each of the rows. values appends the values of its parameters.
func update[T any](ctx context.Context, t *tx, statement string, rows []T, values func([]any, T) []any) error {
	if t.dialect().isPostgres && len(rows) > 1 {
		u := unnest(rows, strings.Count(statement, "?"), values)
		for _, column := range u.columns {
			statement = strings.Replace(statement, "?", column, 1)
		}
		return t.queue(ctx, strings.Replace(statement, " WHERE ", u.from+" WHERE ", 1), u.args...)
	}
	var args []any
	for _, r := range rows {
		args = values(args[:0], r)
		if err := t.queue(ctx, statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// unnested holds rows as parameters of a statement on PostgreSQL: an array for each column whose values
// differ, and one value for each other column.
type unnested struct {
	columns []string // expression of each column
	from    string   // the FROM clause; "" for a single row
	args    []any
}

// unnest turns rows into parameters. The first column of several rows is always an array.
func unnest[T any](rows []T, width int, values func([]any, T) []any) (u unnested) {
	flat := appendValues(make([]any, 0, len(rows)*width), rows, values)
	var arrays, names []string
	same := constantColumns(flat, width)
	same[0] = len(rows) == 1
	for c := range width {
		column := flat[c : c+1 : c+1]
		for i := c + width; i < len(flat) && !same[c]; i += width {
			column = append(column, flat[i])
		}
		kind, array := arrayOf(column)
		parameter := fmt.Sprintf("$%d::%s", len(u.args)+1, kind)
		if same[c] {
			u.columns, u.args = append(u.columns, parameter), append(u.args, flat[c])
			continue
		}
		name := fmt.Sprint("c", c)
		arrays, names = append(arrays, parameter+"[]"), append(names, name)
		u.columns, u.args = append(u.columns, "x."+name), append(u.args, array)
	}
	if len(arrays) > 0 {
		u.from = ` FROM unnest(` + strings.Join(arrays, ", ") + `) AS x (` + strings.Join(names, ", ") + `)`
	}
	return u
}

// query returns the query of the rows.
func (u unnested) query() string { return `SELECT ` + strings.Join(u.columns, ", ") + u.from }

// constantColumns reports which columns have the same value in all rows, if there is one or at least 50.
// Binding such a value for each row would cost as much as storing it.
func constantColumns(flat []any, width int) []bool {
	same := make([]bool, width)
	if len(flat) > width && len(flat) < 50*width {
		return same
	}
	for c := range same {
		_, blob := flat[c].([]byte)
		same[c] = !blob || len(flat) == width
		for i := c + width; i < len(flat) && same[c]; i += width {
			same[c] = flat[i] == flat[c]
		}
	}
	return same
}

// arrayOf returns the SQL type of a column and its values as an array. Only
// numbers may be NULL.
func arrayOf(column []any) (kind string, array any) {
	switch column[0].(type) {
	case string:
		return "text", typedColumn[string](column)
	case []byte:
		return "bytea", typedColumn[[]byte](column)
	case bool:
		return "boolean", typedColumn[bool](column)
	case float64:
		return "double precision", typedColumn[float64](column)
	}
	if !slices.Contains(column, nil) {
		return "bigint", typedColumn[int64](column)
	}
	numbers := make([]*int64, len(column))
	for i, v := range column {
		if n, ok := v.(int64); ok {
			numbers[i] = &n
		}
	}
	return "bigint", numbers
}

func typedColumn[V any](column []any) []V {
	all := make([]V, len(column))
	for i, v := range column {
		all[i], _ = v.(V)
	}
	return all
}

func nullIfZero(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
