package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrUsePostgresTools is returned for a database that brings tools of its own.
var ErrUsePostgresTools = errors.New("a PostgreSQL database is backed up with its own tools: pg_dump, or pg_basebackup and archived WAL")

// Backup copies the database of a DSN into a new file, in one snapshot, while
// servers may go on. The copy is compact, free of what was erased, readable by
// its owner alone, and it was checked before it got its name: a file that is
// there is a whole backup. A file that exists is never overwritten
// (fs.ErrExist).
func Backup(ctx context.Context, dsn, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("backup %s: %w", to, fs.ErrExist)
	}
	path, onPostgres, err := parseDSN(dsn)
	if err != nil {
		return err
	}
	if onPostgres {
		return ErrUsePostgresTools
	}
	conn, done, err := openExisting(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	part, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+".*")
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer os.Remove(part.Name())
	defer part.Close()
	if _, err := conn.execRows(ctx, `VACUUM INTO ?`, part.Name()); err != nil {
		return fmt.Errorf("backup %s: %w", to, err)
	}
	if err := verify(ctx, part.Name()); err != nil {
		return fmt.Errorf("backup %s: %w", to, err)
	}
	if err := part.Sync(); err != nil {
		return fmt.Errorf("backup %s: %w", to, err)
	}
	return publish(part.Name(), to)
}

// verify reads a copy back. What the rules say of its content is the business
// of [Check]: a backup is faithful to faults, too.
func verify(ctx context.Context, path string) error {
	conn, done, err := openExisting(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	damage, err := integrityFindings(ctx, conn)
	if err == nil && len(damage) > 0 {
		err = fmt.Errorf("the copy is damaged (%s)", damage[0].Detail)
	}
	return err
}

// publish gives a finished file its name unless there is one of that name.
func publish(part, to string) error {
	err := os.Link(part, to)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		var f *os.File
		if f, err = os.OpenFile(to, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			f.Close()
			err = os.Rename(part, to)
		}
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	dir, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer dir.Close()
	_ = dir.Sync() // not every file system has it
	return nil
}
