package store

import (
	"context"
	"strings"
)

// insert writes rows of a table. values appends the values of one row, which have the driver's own
// types (int64, string, …), because others would be converted by reflection.
func insert[T any](ctx context.Context, t *tx, table, columns string, rows []T, values func([]any, T) []any) error {
	if len(rows) == 0 {
		return nil
	}
	if t.dialect().isPostgres {
		u := unnest(rows, widthOf(columns), values)
		return t.queue(ctx, `INSERT INTO `+table+` (`+columns+`) `+u.query(), u.args...)
	}
	// With ABORT, the default, SQLite copies every page that it changes, to undo the statement
	// alone. Here a failure undoes the whole write.
	_, err := insertOr(ctx, t, "FAIL", table, columns, rows, values)
	return err
}

// insertOr inserts rows on SQLite and returns their number. A row that violates a unique
// constraint ends the insertion (or = FAIL) or is skipped (or = IGNORE).
func insertOr[T any](ctx context.Context, t *tx, or, table, columns string, rows []T, values func([]any, T) []any) (added int, err error) {
	into := `INSERT OR ` + or + ` INTO ` + table + ` (` + columns + `) VALUES `
	width := widthOf(columns)
	row := `(` + placeholders(width) + `)`
	t.values = appendValues(t.values[:0], rows, values)
	for flat := t.values; len(flat) > 0; {
		n := insertSize(len(flat) / width)
		these, err := t.execRows(ctx, into+strings.Repeat(row+`,`, n-1)+row, flat[:n*width]...)
		if err != nil {
			return added, err
		}
		added, flat = added+int(these), flat[n*width:]
	}
	return added, nil
}

func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

func widthOf(columns string) int { return strings.Count(columns, ",") + 1 }

func appendValues[T any](flat []any, rows []T, values func([]any, T) []any) []any {
	for _, r := range rows {
		flat = values(flat, r)
	}
	return flat
}

// insertSize returns how many of n rows the next statement takes. There are few
// sizes, so that each statement is prepared once; the largest costs least per row.
func insertSize(n int) int {
	for _, size := range []int{400, 100, 25, 6} {
		if n >= size {
			return size
		}
	}
	return 1
}
