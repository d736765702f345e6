package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
)

// openExisting opens a file of SQLite to look at it: it creates, locks and
// migrates nothing. The end of the context interrupts the session.
func openExisting(ctx context.Context, path string) (s *sqliteConn, done func(), err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, nil, fmt.Errorf("database: %w", err)
	}
	if s, err = openSQLiteConn(path, sqlite.OpenReadWrite); err != nil {
		return nil, nil, fileError(path, err)
	}
	s.conn.SetBusyTimeout(10 * time.Second)
	stop := s.interruptOn(ctx)
	if _, err := s.execRows(ctx, `PRAGMA schema_version`); err != nil {
		stop()
		return nil, nil, errors.Join(fileError(path, err), s.close())
	}
	return s, func() { stop(); _ = s.close() }, nil // it only read
}
