package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/pressly/goose/v3"
)

// migrationLock is the key of the advisory lock under which one server after
// the other looks at the schema.
const migrationLock = 0x6174697661 // "ativa"

// migratePostgres brings the schema to this program's version. The lock
// belongs to a transaction of its own, not to a session, so that it holds
// behind a pooler too.
func migratePostgres(ctx context.Context, db *sql.DB, where string) error {
	target, err := latestVersion(migrationsFolder(true))
	if err != nil {
		return err
	}
	if is, err := postgresVersion(ctx, db); err != nil || is == target {
		return err // the usual case, which needs no right to change the schema
	}
	lock, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := lock.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
		return errors.Join(err, lock.Rollback())
	}
	// Servers of the version before go on writing; who changes several tables
	// may meet them in a deadlock.
	for try := 0; ; try++ {
		err = migrate(ctx, db, goose.DialectPostgres, migrationsFolder(true), where)
		if !retryable(err) || try == maxTries || !backOff(ctx, try) {
			return errors.Join(err, lock.Rollback())
		}
	}
}

// postgresVersion is the version of a schema; 0 when there is none.
func postgresVersion(ctx context.Context, db *sql.DB) (version int64, err error) {
	err = db.QueryRowContext(ctx, schemaVersion).Scan(&version)
	if postgresCode(err) == undefinedTable {
		return 0, nil
	}
	return version, err
}
