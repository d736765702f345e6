package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the database/sql driver of migrations

	"ativa/internal/service/domain"
)

// migrations has one file for each version of the schema, in a folder for each engine.
//
//go:embed migrations
var migrations embed.FS

// Version returns the schema version of a database, or 0 if it has none, and the version that this
// program works with. It changes nothing; [Open] migrates.
func Version(ctx context.Context, dsn string) (current, target int64, err error) {
	q, where, done, err := inspect(ctx, dsn)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	return versions(ctx, q, where)
}

func versions(ctx context.Context, q querier, where string) (current, target int64, err error) {
	if target, err = latestVersion(q.dialect()); err != nil {
		return 0, 0, err
	}
	current, err = schemaVersion(ctx, q, where)
	return current, target, openError(where, err)
}

// inspect returns a session that reads one snapshot of a database, and the name of the database
// for messages. It creates, locks and migrates nothing.
func inspect(ctx context.Context, dsn string) (q querier, where string, done func(), err error) {
	path, onPostgres, err := parseDSN(dsn)
	if err != nil {
		return nil, "", nil, err
	}
	if onPostgres {
		pg, err := connectPostgres(ctx, dsn)
		if err != nil {
			return nil, "", nil, err
		}
		tx, err := pg.beginSnapshot(ctx)
		if err != nil {
			pg.pool.Close()
			return nil, "", nil, openError(pg.where, err)
		}
		return postgresQuerier{pg: pg, db: tx}, pg.where, func() { _ = tx.Rollback(ctx); pg.pool.Close() }, nil // read-only, so the error does not matter
	}
	conn, done, err := openExisting(ctx, path)
	if err != nil {
		return nil, "", nil, err
	}
	if _, err := conn.execRows(ctx, `BEGIN`); err != nil { // ends when the connection closes
		done()
		return nil, "", nil, openError(path, err)
	}
	return conn, path, done, nil
}

// latestVersion returns the schema version that this program works with.
func latestVersion(d *dialect) (version int64, err error) {
	names, err := fs.Glob(migrations, d.migrations+"/*.sql")
	for _, name := range names {
		v, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		version = max(version, v)
	}
	return version, err
}

// schemaVersion returns the schema version of a database, or 0 if it has none. It refuses the file
// of another program, a database that lacks a table of its version or the one that tells its version,
// and one of a build before 0.1.0, the only ones that have a table answer.
func schemaVersion(ctx context.Context, q querier, where string) (version int64, err error) {
	tables, err := list(ctx, q, only[string], q.dialect().tables)
	has := func(table string) bool { return slices.Contains(tables, table) }
	lost := slices.DeleteFunc(append([]string{"goose_db_version"}, copiedTables()...), has)
	switch {
	case err != nil:
		return 0, err
	case len(lost) == 1 && !has("goose_db_version"):
		return 0, lacks(where, lost)
	case !has("goose_db_version") && len(tables) > 0 && !q.dialect().isPostgres: // other programs may use a database of PostgreSQL
		return 0, notOurs(where)
	case !has("goose_db_version"):
		return 0, nil
	case has("answer"):
		return 0, &domain.TextError{Detail: "database %s was made by a build before 0.1.0 and cannot be upgraded: begin a new database, and import into it what that build exports", Args: []any{where}}
	}
	// goose itself would create its table
	if _, err = queryRow(ctx, q, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`, nil, &version); err != nil {
		return 0, err
	}
	target, err := latestVersion(q.dialect())
	if err != nil || version != target || len(lost) == 0 {
		return version, err
	}
	tables, err = list(ctx, q, only[string], q.dialect().tables) // another process may have made them since
	if lost = slices.DeleteFunc(lost, has); err == nil && len(lost) > 0 {
		err = lacks(where, lost)
	}
	return version, err
}

func lacks(where string, lost []string) error {
	return &domain.TextError{Detail: "database %s lacks the table %s: restore a backup", Args: []any{where, lost[0]}}
}

// notOurs returns the error for a database that this program did not make.
func notOurs(where string) error {
	return &domain.TextError{Detail: "%s is not a database of Ativa", Args: []any{where}}
}

// mustBeOurs returns an error if a database does not have any version of this program's schema.
func mustBeOurs(ctx context.Context, q querier, where string) error {
	version, err := schemaVersion(ctx, q, where)
	if err == nil && version == 0 {
		return notOurs(where)
	}
	return openError(where, err)
}

// mustMigrate reports whether a database does not have this program's schema, and returns an error
// if it then may not get it.
func mustMigrate(ctx context.Context, q querier, where string, may SchemaChange) (bool, error) {
	target, err := latestVersion(q.dialect())
	if err != nil {
		return false, err
	}
	current, err := schemaVersion(ctx, q, where)
	switch {
	case err != nil:
	case current == 0 && may != CreateSchema:
		err = &domain.TextError{Detail: "the database is empty: %s", Args: []any{where}, Err: ErrNoSchema}
	case current != target && may == KeepSchema:
		err = errSchema
	}
	return current != target, err
}

// migrate brings a database to the latest version and refuses a newer one.
func migrate(ctx context.Context, db *sql.DB, d *dialect, where string) error {
	folder, err := fs.Sub(migrations, d.migrations)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(d.goose, db, folder)
	if err != nil {
		return err
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > target {
		return newerSchema(where, current, target)
	}
	_, err = p.Up(ctx)
	return err
}

func newerSchema(where string, current, target int64) error {
	return &domain.TextError{Detail: "database %s has version %d, newer than this program's %d: use a newer program", Args: []any{where, current, target}}
}

// migrateSQLite brings the schema of a file to this program's version. Of several processes that
// migrate a file at once, one succeeds with each version, and the others begin again after it.
func migrateSQLite(ctx context.Context, c *sqliteConn, path string) error {
	file := "file:" + (&url.URL{Path: path}).EscapedPath()
	db, err := sql.Open("sqlite", fmt.Sprintf("%s?_pragma=busy_timeout(%d)&_pragma=synchronous(FULL)&_txlock=immediate", file, busyTimeout.Milliseconds()))
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for {
		before, err := schemaVersion(ctx, c, path)
		if err != nil {
			return err
		}
		err = migrate(ctx, db, c.dialect(), path)
		if now, unread := schemaVersion(ctx, c, path); err == nil || unread != nil || now == before {
			return err
		}
	}
}

// migrationLock is the key of the advisory lock that allows only one server at a time to migrate.
const migrationLock = 0x6174697661 // "ativa"

// migrate brings the schema to this program's version, if that is allowed.
// The lock belongs to a transaction, not to a session, so it also works behind a pooler.
func (pg *postgresPool) migrate(ctx context.Context, may SchemaChange) error {
	must, err := mustMigrate(ctx, pg.readers(), pg.where, may)
	if err != nil || !must {
		return err // the usual case, which needs no right to change the schema
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
		err = migrate(ctx, db, postgresDialect, pg.where)
		if !retryable(err) || try == maxTries || !backOff(ctx, try) {
			return errors.Join(err, lock.Rollback(ctx))
		}
	}
}
