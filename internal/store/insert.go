package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// insert writes rows of a table. The values are of the driver's own types
// (int64, string, …): others would be converted by reflection.
func insert[T any](ctx context.Context, t *tx, table, columns string, rows []T, values func(T) []any) error {
	if len(rows) == 0 {
		return nil
	}
	if t.dialect().arrayParams {
		u := unnest(rows, values)
		return t.exec(ctx, `INSERT INTO `+table+` (`+columns+`) `+u.query(), u.args...)
	}
	// ABORT, the default, makes SQLite copy every page that it changes, to undo the
	// statement alone. Here a failure undoes the whole write.
	_, err := insertOr(ctx, t, "FAIL", table, columns, rows, values)
	return err
}

// insertOr inserts rows on SQLite and returns how many. Rows that violate a unique
// constraint end it (or = FAIL) or are skipped (or = IGNORE).
func insertOr[T any](ctx context.Context, t *tx, or, table, columns string, rows []T, values func(T) []any) (added int, err error) {
	into := `INSERT OR ` + or + ` INTO ` + table + ` (` + columns + `)`
	width := strings.Count(columns, ",") + 1
	flat := make([]any, 0, len(rows)*width)
	for _, r := range rows {
		flat = append(flat, values(r)...)
	}
	same := constantColumns(flat, width)
	for len(flat) > 0 {
		n := insertSize(len(flat) / width)
		these, err := t.execRows(ctx, into+valuesClause(n, same), valuesArgs(flat[:n*width], same)...)
		if err != nil {
			return added, err
		}
		added, flat = added+int(these), flat[n*width:]
	}
	return added, nil
}

// insertSize returns how many of n rows the next statement takes. There are few
// sizes, so that each statement is prepared once; the largest costs least per row.
func insertSize(n int) int {
	for _, size := range []int{400, 50, 8} {
		if n >= size {
			return size
		}
	}
	return 1
}

// constantColumns reports which columns have the same value in all of 50 rows or
// more. Binding it for each row would cost as much as storing it.
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

// valuesClause returns what follows the columns: VALUES of n rows, or a query over
// the columns that differ with one parameter for each constant column.
func valuesClause(n int, same []bool) string {
	varying := 0
	columns := make([]string, len(same))
	for c := range same {
		if columns[c] = "?"; !same[c] {
			varying++
			columns[c] = "column" + strconv.Itoa(varying)
		}
	}
	rows := "VALUES " + strings.TrimSuffix(strings.Repeat("("+placeholders(varying)+"),", n), ",")
	if !slices.Contains(same, true) {
		return " " + rows
	}
	return " SELECT " + strings.Join(columns, ", ") + " FROM (" + rows + ")"
}

// valuesArgs orders values as the parameters of valuesOf.
func valuesArgs(flat []any, same []bool) []any {
	if !slices.Contains(same, true) {
		return flat
	}
	args := make([]any, 0, len(flat))
	for c := range same {
		if same[c] {
			args = append(args, flat[c])
		}
	}
	for i, v := range flat {
		if !same[i%len(same)] {
			args = append(args, v)
		}
	}
	return args
}
