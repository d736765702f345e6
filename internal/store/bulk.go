package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// each runs a query over any number of keys. Its %s is where they are
// compared, as in "WHERE id %s".
func each[K ~int64 | ~uint64](ctx context.Context, s session, query string, before []any, keys []K, scan func(*sql.Rows) error) error {
	if len(keys) == 0 {
		return nil
	}
	if s.dialect().arrays {
		all := make([]int64, len(keys))
		for i, k := range keys {
			all[i] = int64(k)
		}
		return scanAll(ctx, s, strings.Replace(query, "%s", "= ANY (?)", 1), append(before, all), scan)
	}
	for len(keys) > 0 {
		size := chunkSize(len(keys))
		n := min(len(keys), size)
		args := append(make([]any, 0, len(before)+size), before...)
		for i := range size {
			args = append(args, int64(keys[min(i, n-1)]))
		}
		keys = keys[n:]
		marks := "IN (" + marks(size) + ")"
		if err := scanAll(ctx, s, strings.Replace(query, "%s", marks, 1), args, scan); err != nil {
			return err
		}
	}
	return nil
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

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// insertNew inserts those of the rows that violate no unique constraint, where
// a parameter may be an array, and reads the returned column of each of them.
func insertNew[T any](ctx context.Context, t *tx, table, columns, returned string, rows []T, values func(T) []any, scan func(*sql.Rows) error) error {
	if len(rows) == 0 {
		return nil
	}
	arrays, args := transpose(rows, values)
	return scanAll(ctx, t, `INSERT INTO `+table+` (`+columns+`) SELECT * FROM unnest(`+arrays+`) ON CONFLICT DO NOTHING RETURNING `+returned, args, scan)
}

// update changes rows of a table by id. The values are those of the columns,
// then the id; a column "attempts+" is added to.
func update[T any](ctx context.Context, t *tx, table, columns string, rows []T, values func(T) []any) error {
	if len(rows) == 0 {
		return nil
	}
	names := strings.Split(columns, ", ")
	arrays := t.dialect().arrays
	sets := make([]string, len(names))
	for i, name := range names {
		plain := strings.TrimSuffix(name, "+")
		value := "?"
		if arrays {
			value = "x." + plain
		}
		if plain != name {
			value = table + "." + plain + " + " + value
		}
		sets[i], names[i] = plain+" = "+value, plain
	}
	set := `UPDATE ` + table + ` SET ` + strings.Join(sets, ", ")
	if arrays {
		params, args := transpose(rows, values)
		return t.exec(ctx, set+` FROM unnest(`+params+`) AS x (`+strings.Join(names, ", ")+`, id) WHERE `+table+`.id = x.id`, args...)
	}
	for _, r := range rows {
		if err := t.exec(ctx, set+` WHERE id = ?`, values(r)...); err != nil {
			return err
		}
	}
	return nil
}

// transpose turns rows into an array for each column, and says how the arrays
// are written as parameters.
func transpose[T any](rows []T, values func(T) []any) (params string, args []any) {
	var columns [][]any
	for _, r := range rows {
		v := values(r)
		if columns == nil {
			columns = make([][]any, len(v))
			for i := range columns {
				columns[i] = make([]any, 0, len(rows))
			}
		}
		for i := range v {
			columns[i] = append(columns[i], v[i])
		}
	}
	var types []string
	for _, c := range columns {
		kind, array := arrayOf(c)
		types, args = append(types, "?::"+kind+"[]"), append(args, array)
	}
	return strings.Join(types, ", "), args
}

// arrayOf gives a column its type. Only numbers may be NULL.
func arrayOf(column []any) (kind string, array any) {
	switch column[0].(type) {
	case string:
		return "text", typed[string](column)
	case []byte:
		return "bytea", typed[[]byte](column)
	case bool:
		return "boolean", typed[bool](column)
	case float64:
		return "double precision", typed[float64](column)
	}
	if !slices.Contains(column, nil) {
		return "bigint", typed[int64](column)
	}
	numbers := make([]*int64, len(column))
	for i, v := range column {
		if n, ok := v.(int64); ok {
			numbers[i] = &n
		}
	}
	return "bigint", numbers
}

func typed[V any](column []any) []V {
	all := make([]V, len(column))
	for i, v := range column {
		all[i], _ = v.(V)
	}
	return all
}

func null(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
