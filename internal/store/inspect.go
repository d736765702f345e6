package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
)

// inspect opens a file of SQLite to look at it: it creates, locks and
// migrates nothing. The one connection is the caller's to close.
func inspect(ctx context.Context, path string) (conn *sql.Conn, done func(), err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, nil, fmt.Errorf("database: %w", err)
	}
	file := "file:" + (&url.URL{Path: path}).EscapedPath()
	db, err := sql.Open("sqlite", file+"?mode=rw&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, nil, err
	}
	conn, err = db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, notOurs(path, err)
	}
	return conn, func() { conn.Close(); db.Close() }, nil
}
