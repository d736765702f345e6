package store

import (
	"context"
	"database/sql"
	"fmt"
)

// CopiedColumns are the columns that a copy takes, by table.
func CopiedColumns() map[string][]string {
	all := map[string][]string{}
	for _, table := range copiedTables() {
		all[table.name], _ = table.fields()
	}
	return all
}

// LimitPages bounds the size of the file, as a full disk does.
func (db *DB) LimitPages(ctx context.Context, pages int) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		_, err := scanRow(ctx, t, fmt.Sprintf(`PRAGMA max_page_count(%d)`, pages), nil, func(rows *sql.Rows) error {
			var n int
			return rows.Scan(&n)
		})
		return err
	})
}
