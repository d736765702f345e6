package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the database/sql driver of migrations

	"ativa/internal/service/store/migrations"
)

// Version returns the schema version of a database, or 0 if it has none, and the version that this
// program works with. It changes nothing; [Open] migrates.
func Version(ctx context.Context, dsn string) (current, target int64, err error) {
	path, onPostgres, err := parseDSN(dsn)
	if err != nil {
		return 0, 0, err
	}
	if onPostgres {
		return versionsOfPostgres(ctx, dsn)
	}
	if target, err = migrations.Latest(migrations.SQLite); err != nil {
		return 0, 0, err
	}
	c, done, err := openExisting(ctx, path)
	if err != nil {
		return 0, target, err
	}
	defer done()
	current, err = sqliteVersion(ctx, c, path)
	return current, target, err
}

func versionsOfPostgres(ctx context.Context, dsn string) (current, target int64, err error) {
	if target, err = migrations.Latest(migrations.Postgres); err != nil {
		return 0, 0, err
	}
	pg, err := connectPostgres(ctx, dsn)
	if err != nil {
		return 0, 0, err
	}
	defer pg.pool.Close()
	current, err = pg.version(ctx)
	return current, target, err
}

// sqliteVersion returns the schema version of a file, or 0 if it has none. It refuses a file of a
// build before 0.1.0.
func sqliteVersion(ctx context.Context, c *sqliteConn, path string) (version int64, err error) {
	var has, unreleased bool
	_, err = queryRow(ctx, c, `SELECT COALESCE(MAX(name = 'goose_db_version'), 0), COALESCE(MAX(name = ?), 0)
		FROM sqlite_master
		WHERE type = 'table'`, []any{migrations.UnreleasedTable}, scanInto(&has, &unreleased))
	switch {
	case err != nil || !has:
		return 0, err
	case unreleased:
		return 0, migrations.Unreleased(path)
	}
	_, err = queryRow(ctx, c, migrations.VersionQuery, nil, scanInto(&version))
	return version, err
}

// version is like sqliteVersion, for PostgreSQL.
func (pg *postgresPool) version(ctx context.Context) (version int64, err error) {
	var has, unreleased bool
	err = pg.pool.QueryRow(ctx, `SELECT to_regclass('goose_db_version') IS NOT NULL, to_regclass($1) IS NOT NULL`, migrations.UnreleasedTable).Scan(&has, &unreleased)
	switch {
	case err != nil || !has:
		return 0, err
	case unreleased:
		return 0, migrations.Unreleased(pg.where)
	}
	err = pg.pool.QueryRow(ctx, migrations.VersionQuery).Scan(&version)
	return version, err
}

// migrateSQLite brings the schema of a file to this program's version, or returns
// errSchema if existing is true.
func migrateSQLite(ctx context.Context, c *sqliteConn, path string, busyTimeout time.Duration, existing bool) error {
	target, err := migrations.Latest(migrations.SQLite)
	if err != nil {
		return err
	}
	current, err := sqliteVersion(ctx, c, path)
	switch {
	case err != nil || current == target:
		return err // the usual case
	case existing:
		return errSchema
	}
	file := "file:" + (&url.URL{Path: path}).EscapedPath()
	db, err := sql.Open("sqlite", fmt.Sprintf("%s?_pragma=busy_timeout(%d)&_pragma=synchronous(FULL)&_txlock=immediate", file, busyTimeout.Milliseconds()))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(migrations.Up(ctx, db, migrations.SQLite, path), db.Close())
}

// migrationLock is the key of the advisory lock that allows only one server at a time to migrate.
const migrationLock = 0x6174697661 // "ativa"

// migrate brings the schema to this program's version, or returns errSchema if existing is true.
// The lock belongs to a transaction, not to a session, so it also works behind a pooler.
func (pg *postgresPool) migrate(ctx context.Context, existing bool) error {
	target, err := migrations.Latest(migrations.Postgres)
	if err != nil {
		return err
	}
	current, err := pg.version(ctx)
	switch {
	case err != nil || current == target:
		return err // the usual case, which needs no right to change the schema
	case existing:
		return errSchema
	}
	lock, err := pg.pool.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := lock.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
		return errors.Join(err, lock.Rollback(ctx))
	}
	db := stdlib.OpenDBFromPool(pg.pool)
	defer db.Close()
	// Servers of the previous version keep writing, so a migration that changes several tables may
	// deadlock with them.
	for try := 0; ; try++ {
		err = migrations.Up(ctx, db, migrations.Postgres, pg.where)
		if !retryable(err) || try == maxTries || !backOff(ctx, try) {
			return errors.Join(err, lock.Rollback(ctx))
		}
	}
}
