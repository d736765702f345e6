package store

import (
	"context"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// Version returns the version of a database's schema and the one that this
// program works with; opening a database migrates it. It changes nothing; a
// database without a schema has version 0.
func Version(ctx context.Context, dsn string) (current, target int64, err error) {
	conn, done, err := inspect(ctx, dsn)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	dir, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return 0, 0, err
	}
	files, err := fs.Glob(dir, "*.sql")
	if err != nil {
		return 0, 0, err
	}
	for _, name := range files {
		v, err := goose.NumericComponent(name)
		if err != nil {
			return 0, 0, err
		}
		target = max(target, v)
	}
	var tables int
	if err := conn.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_master WHERE name = 'goose_db_version'`).Scan(&tables); err != nil || tables == 0 {
		return 0, target, (&DB{path: dsn}).explain(err)
	}
	err = conn.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&current)
	return current, target, err
}
