package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
)

// inspect opens a file of SQLite to look at it: it creates, locks and
// migrates nothing. The end of the context interrupts the session.
func inspect(ctx context.Context, path string) (s *sqliteSession, done func(), err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, nil, fmt.Errorf("database: %w", err)
	}
	if s, err = openSession(path, sqlite.OpenReadWrite); err != nil {
		return nil, nil, notOurs(path, err)
	}
	s.conn.SetBusyTimeout(10 * time.Second)
	stop := s.until(ctx)
	if _, err := s.run(ctx, `PRAGMA schema_version`); err != nil {
		stop()
		return nil, nil, errors.Join(notOurs(path, err), s.close())
	}
	return s, func() { stop(); _ = s.close() }, nil // it only read
}
