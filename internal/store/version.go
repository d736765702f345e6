package store

import (
	"context"
)

// Version returns the version of a database's schema and the one that this
// program works with; opening a database migrates it. It changes nothing; a
// database without a schema has version 0.
func Version(ctx context.Context, dsn string) (current, target int64, err error) {
	path, onPostgres, err := parseDSN(dsn)
	if err != nil {
		return 0, 0, err
	}
	if target, err = latestVersion(migrationsFolder(onPostgres)); err != nil {
		return 0, 0, err
	}
	if !onPostgres {
		current, err = sqliteVersion(ctx, path)
		return current, target, err
	}
	pg, err := connectPostgres(ctx, dsn)
	if err != nil {
		return 0, 0, err
	}
	defer pg.db.Close()
	current, err = postgresVersion(ctx, pg.db)
	return current, target, err
}

func sqliteVersion(ctx context.Context, path string) (int64, error) {
	s, done, err := openExisting(ctx, path)
	if err != nil {
		return 0, err
	}
	defer done()
	return schemaVersionOf(ctx, s)
}

// schemaVersionOf is the version of the schema of a file; 0 when there is none.
func schemaVersionOf(ctx context.Context, s *sqliteConn) (version int64, err error) {
	var tables int
	_, err = queryRow(ctx, s, `SELECT COUNT(*) FROM sqlite_master WHERE name = 'goose_db_version'`, nil, scanInto(&tables))
	if err != nil || tables == 0 {
		return 0, err
	}
	_, err = queryRow(ctx, s, schemaVersion, nil, scanInto(&version))
	return version, err
}
