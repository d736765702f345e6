package store

import (
	"context"
	"slices"
	"strconv"
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

// update changes rows of a table, which it finds by the columns of its key. values returns
// those of the columns, then the key. A "+" after a column name adds the value to the column.
func update[T any](ctx context.Context, t *tx, table, columns, key string, rows []T, values func([]any, T) []any) error {
	if len(rows) == 0 {
		return nil
	}
	names, keys := strings.Split(columns, ", "), strings.Split(key, ", ")
	var u unnested
	if t.dialect().isPostgres && len(rows) > 1 {
		u = unnest(rows, len(names)+len(keys), len(keys), values)
	}
	value := func(i int) string {
		if u.from == "" {
			return "?"
		}
		return u.columns[i]
	}
	sets, same := make([]string, len(names)), make([]string, len(keys))
	for i, name := range names {
		plain, isSum := strings.CutSuffix(name, "+")
		sets[i] = plain + " = " + value(i)
		if isSum {
			sets[i] = plain + " = " + table + "." + plain + " + " + value(i)
		}
	}
	for i, name := range keys {
		same[i] = table + "." + name + " = " + value(len(names)+i)
	}
	set, where := `UPDATE `+table+` SET `+strings.Join(sets, ", "), ` WHERE `+strings.Join(same, " AND ")
	if u.from != "" {
		return t.queue(ctx, set+` FROM `+u.from+where, u.args...)
	}
	var args []any
	for _, r := range rows {
		args = values(args[:0], r)
		if err := t.queue(ctx, set+where, args...); err != nil {
			return err
		}
	}
	return nil
}

// unnested holds rows as parameters of a statement: an array for each column whose values differ, and
// one value for each other column. The statement must name columns before from, which is empty for a
// single row.
type unnested struct {
	columns []string // expression of each column
	from    string
	args    []any
}

// unnest turns rows into parameters. Of several rows the first column and the last ones, keys in
// number, are always arrays: an UPDATE names the columns of its key after from.
func unnest[T any](rows []T, width, keys int, values func([]any, T) []any) (u unnested) {
	flat := appendValues(make([]any, 0, len(rows)*width), rows, values)
	same := constantColumns(flat, width)
	same[0] = false
	clear(same[width-keys:])
	if len(rows) == 1 {
		for c := range same {
			same[c] = true
		}
	}
	var params, names []string
	var arrays []any
	for c := range width {
		if same[c] {
			kind, _ := arrayOf(flat[c : c+1])
			u.columns, u.args = append(u.columns, "?::"+kind), append(u.args, flat[c])
			continue
		}
		column := make([]any, 0, len(rows))
		for i := c; i < len(flat); i += width {
			column = append(column, flat[i])
		}
		kind, array := arrayOf(column)
		name := "c" + strconv.Itoa(c)
		u.columns, names = append(u.columns, "x."+name), append(names, name)
		params, arrays = append(params, "?::"+kind+"[]"), append(arrays, array)
	}
	if len(arrays) == 0 {
		return u
	}
	u.from = `unnest(` + strings.Join(params, ", ") + `) AS x (` + strings.Join(names, ", ") + `)`
	u.args = append(u.args, arrays...)
	return u
}

// constantColumns reports which columns have the same value in all rows, if there are 50 or more.
// Binding such a value for each row would cost as much as storing it.
func constantColumns(flat []any, width int) []bool {
	same := make([]bool, width)
	if len(flat) < 50*width {
		return same
	}
	for c := range same {
		if _, blob := flat[c].([]byte); blob {
			continue
		}
		same[c] = true
		for i := c + width; i < len(flat) && same[c]; i += width {
			same[c] = flat[i] == flat[c]
		}
	}
	return same
}

func (u unnested) query() string {
	query := `SELECT ` + strings.Join(u.columns, ", ")
	if u.from != "" {
		query += ` FROM ` + u.from
	}
	return query
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
