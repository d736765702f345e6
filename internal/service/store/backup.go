package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"ativa/internal/system"
)

// ErrUsePostgresTools is returned by [Backup] for a PostgreSQL database.
var ErrUsePostgresTools = errors.New("a PostgreSQL database is backed up with its own tools: pg_dump, or pg_basebackup and archived WAL")

// Backup copies a SQLite database into a new file, in one snapshot, while servers
// use it. The copy is compact, contains no erased data, has mode 600 and gives out
// other ids than the original does from then on ([DB.SkipIDs]). It is
// checked before it gets its name, so a file of that name is a complete backup.
// An existing file is never overwritten (fs.ErrExist).
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
	if err := mustBeOurs(ctx, conn, path); err != nil {
		return err
	}
	removeLeftovers(filepath.Dir(to))
	part, err := system.CreatePrivateTemp(filepath.Dir(to), partPrefix)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer os.Remove(part.Name())
	defer os.Remove(part.Name() + "-journal") // SQLite leaves it if the disk is full
	defer part.Close()
	_, err = conn.execRows(ctx, `VACUUM INTO ?`, part.Name())
	if sqliteCode(err) == sqlite.ResultFull {
		err = system.ErrDiskFull // the disk of the backup: the database is only read
	}
	if err = openError(path, err); err == nil {
		err = finish(ctx, part.Name())
	}
	if err == nil {
		err = part.Sync()
	}
	if err != nil {
		return fmt.Errorf("backup %s: %w", to, err)
	}
	return publish(part.Name(), to)
}

// partPrefix begins the name of a backup that is not complete.
const partPrefix = ".ativa-backup-"

// removeLeftovers removes the parts of backups that were killed a day ago or earlier. They hold
// personal data, and no other backup to the directory may still write them.
func removeLeftovers(dir string) {
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		info, err := file.Info()
		if err == nil && strings.HasPrefix(file.Name(), partPrefix) && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(dir, file.Name()))
		}
	}
}

// finish makes a copy give out other ids than the original, and checks it for damage. [Check] checks
// whether its rows obey the rules.
func finish(ctx context.Context, path string) error {
	conn, done, err := openExisting(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	if err := skipIDs(ctx, conn.execRows); err != nil {
		return err
	}
	damage, err := integrityFindings(ctx, conn)
	if err == nil && len(damage) > 0 {
		err = fmt.Errorf("the copy is damaged (%s)", damage[0].Detail)
	}
	return err
}

// publish renames a finished file unless a file of that name exists.
func publish(part, to string) error {
	err := os.Link(part, to)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
		var f *os.File
		if f, err = system.OpenPrivate(to, os.O_CREATE|os.O_EXCL); err == nil {
			f.Close()
			err = system.Replace(part, to)
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
	_ = dir.Sync() // some file systems do not support it
	return nil
}

// skipIDs runs the statements after which a database reuses no id that it may have used after a
// backup: partners and receivers would take it for a repetition. Feed callbacks get a new generation,
// and so new webhook ids. They skip as many numbers as the events, so that later cursors stay invalid
// and a complete feed callback stays complete.
func skipIDs(ctx context.Context, run func(ctx context.Context, statement string, args ...any) (int64, error)) error {
	for _, statement := range []string{
		`UPDATE feed_callback
			SET cursor = cursor + ` + skippedEvents + `
			WHERE cursor = (SELECT (p.id << ` + recordBits + `) + p.last_event FROM provider p WHERE p.id = feed_callback.provider_id)`,
		`UPDATE provider
			SET last_operation = last_operation + 4294967296, last_delivery = last_delivery + 4294967296, last_schedule = last_schedule + 4294967296,
				last_event = last_event + ` + skippedEvents + `, last_subscriber = last_subscriber + 16777216`,
		`UPDATE feed_callback SET generation = generation + 4294967296`,
	} {
		if _, err := run(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// SkipIDs makes a restored database use only new ids. [Backup] has done it in its copies.
func (db *DB) SkipIDs(ctx context.Context) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error { return skipIDs(ctx, t.execRows) })
}
