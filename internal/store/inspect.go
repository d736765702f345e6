package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// inspect opens the file of a DSN to look at it: it creates, locks and
// migrates nothing. The one connection is the caller's to close.
func inspect(ctx context.Context, dsn string) (conn *sql.Conn, done func(), err error) {
	path := strings.TrimPrefix(dsn, "sqlite:")
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
		return nil, nil, (&DB{path: path}).explain(err)
	}
	return conn, func() { conn.Close(); db.Close() }, nil
}
