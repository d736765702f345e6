package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver that a migration needs
)

// migrateSQLite brings the schema of a file to this program's version.
func migrateSQLite(ctx context.Context, s *sqliteConn, path string, patience time.Duration) error {
	target, err := latestVersion(migrationsFolder(false))
	if err != nil {
		return err
	}
	if is, err := schemaVersionOf(ctx, s); err != nil || is == target {
		return err // the usual case
	}
	file := "file:" + (&url.URL{Path: path}).EscapedPath()
	db, err := sql.Open("sqlite", fmt.Sprintf("%s?_pragma=busy_timeout(%d)&_pragma=synchronous(FULL)&_txlock=immediate", file, patience.Milliseconds()))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(migrate(ctx, db, goose.DialectSQLite3, migrationsFolder(false), path), db.Close())
}
