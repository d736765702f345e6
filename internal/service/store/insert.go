package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// insert writes rows of a table. values appends the values of one row, which have the driver's own
// types (int64, string, …), because others would be converted by reflection.
func insert[T any](ctx context.Context, t *tx, table, columns string, rows []T, values func([]any, T) []any) error {
	if len(rows) == 0 {
		return nil
	}
	if t.dialect().arrayParams {
		u := unnest(rows, widthOf(columns), 1, values)
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
	into := `INSERT OR ` + or + ` INTO ` + table + ` (` + columns + `)`
	width := widthOf(columns)
	t.values = appendValues(t.values[:0], rows, values)
	flat, same := t.values, constantColumns(t.values, width)
	for len(flat) > 0 {
		n := insertSize(len(flat) / width)
		these, err := t.execRows(ctx, insertStatement(into, n, same), valuesArgs(flat[:n*width], same)...)
		if err != nil {
			return added, err
		}
		added, flat = added+int(these), flat[n*width:]
	}
	return added, nil
}

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

// insertStatement returns into with VALUES of n rows. The constant columns are the first
// parameters, which every row repeats.
func insertStatement(into string, n int, same []bool) string {
	first, next := make([]string, len(same)), make([]string, len(same))
	constants, varying := 0, numberOf(same)
	for c := range same {
		if same[c] {
			constants++
			first[c] = "?" + strconv.Itoa(constants)
			next[c] = first[c]
			continue
		}
		varying++
		first[c], next[c] = "?"+strconv.Itoa(varying), "?"
	}
	row := ",(" + strings.Join(next, ",") + ")"
	var b strings.Builder
	b.Grow(len(into) + len(" VALUES ()") + 4*len(first) + n*len(row))
	b.WriteString(into + " VALUES (" + strings.Join(first, ",") + ")")
	for range n - 1 {
		b.WriteString(row)
	}
	return b.String()
}

// valuesArgs orders values as the parameters of insertStatement.
func valuesArgs(flat []any, same []bool) []any {
	constants := numberOf(same)
	if constants == 0 {
		return flat
	}
	args := make([]any, 0, constants+len(flat)/len(same)*(len(same)-constants))
	for c := range same {
		if same[c] {
			args = append(args, flat[c])
		}
	}
	for row := range slices.Chunk(flat, len(same)) {
		for c, v := range row {
			if !same[c] {
				args = append(args, v)
			}
		}
	}
	return args
}

func numberOf(same []bool) (n int) {
	for _, s := range same {
		if s {
			n++
		}
	}
	return n
}
