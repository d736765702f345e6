package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ativa/internal/service/domain"
)

// sqliteFiles are the files of a database when it was opened. SQLite keeps writing to a file that
// was deleted or renamed, and that data is lost when the process ends. So a write is acknowledged
// only while the names still refer to these files.
type sqliteFiles struct {
	names []string
	infos []os.FileInfo
	main  *os.File // the database itself; closed after all connections, because closing it releases their locks
}

// lockFile ends the name of the file that a server locks.
const lockFile = ".lock"

// filesOf returns the files of an open database, and the one that is locked if it is exclusive.
func filesOf(path string, exclusive bool) (f sqliteFiles, err error) {
	names := []string{path, path + "-wal", path + "-shm"}
	if exclusive { // without it a second server could start
		names = append(names, path+lockFile)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return f, fmt.Errorf("database: %w", err)
		}
		f.names, f.infos = append(f.names, name), append(f.infos, info)
	}
	f.main, err = os.Open(path)
	return f, err
}

// linkedFile returns the target of a symbolic link, beside which SQLite puts its other files. Any
// other path is returned unchanged.
func linkedFile(path string) string {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return path
	}
	if file, err := filepath.EvalSymlinks(path); err == nil {
		return file
	}
	return path // opening it reports the error
}

// overwritten reports whether a backup was copied over the database.
func (f sqliteFiles) overwritten() bool { return f.main != nil && hasNoLog(f.main) }

func (f sqliteFiles) close() error {
	if f.main == nil {
		return nil
	}
	return f.main.Close()
}

// hasNoLog reports whether a database has no write-ahead log, as its header says: true for a
// backup, never for a file that this program has open. A file shorter than a header has none
// either.
func hasNoLog(database io.ReaderAt) bool {
	var header [20]byte
	if _, err := database.ReadAt(header[:], 0); err != nil {
		return errors.Is(err, io.EOF)
	}
	return header[18] == 1 // SQLite's "file format write version"; 2 with a log
}

// checkLog returns an error if a log lies beside a backup. SQLite would apply the log and damage
// the file.
func checkLog(path string) error {
	log, err := os.Stat(path + "-wal")
	if err != nil || log.Size() == 0 {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // opening the database reports it
	}
	defer file.Close()
	if !hasNoLog(file) {
		return nil
	}
	return &domain.TextError{Detail: "database %s is a restored backup, and the log %[1]s-wal beside it is of another database: move %[1]s-wal and %[1]s-shm away", Args: []any{path}}
}

// missing returns the name of a file that was deleted, renamed, replaced or overwritten, or "" if
// all are in place. An inode is not reused while a process has its file open, so a file that is
// put back is recognised.
func (f sqliteFiles) missing() string {
	if f.overwritten() {
		return f.names[0]
	}
	for i, name := range f.names {
		if !f.inPlace(i) {
			return name
		}
	}
	return ""
}

// inPlace reports whether the name of file i still refers to it. Windows does not let anybody
// delete, rename or replace an open file.
func (f sqliteFiles) inPlace(i int) bool {
	now, err := os.Stat(f.names[i])
	return err == nil && (runtime.GOOS == "windows" || os.SameFile(now, f.infos[i]))
}

// check returns an error with code Unavailable that names a missing file.
func (f sqliteFiles) check() error {
	if name := f.missing(); name != "" {
		return missingFile(name)
	}
	return nil
}

func missingFile(name string) error {
	remedy := "put it back, or restart on a backup"
	if strings.HasSuffix(name, lockFile) {
		remedy = "restart the server"
	}
	return unavailable("the file "+filepath.Base(name)+" was deleted, renamed or replaced while the server runs: nothing is written; "+remedy, nil)
}

// writable returns an error if nothing may be written, because a file is missing or damaged.
func (db *sqliteFile) writable() error { return cmp.Or(db.files.check(), db.damage.err()) }

// withFilesInPlace runs a step of the writer, which is a transaction or what runs between two. It
// returns an error if a file is missing or damaged before or after it.
func (db *sqliteFile) withFilesInPlace(step func() error) error {
	err := db.writable()
	if err == nil {
		if err = step(); err == nil {
			err = db.writable()
		}
	}
	if err != nil && db.files.missing() != "" {
		db.rescueLog()
	}
	return err
}

// rescueLog copies the write-ahead log into the database file after the log was deleted or
// renamed, so that acknowledged writes outlive the process. It does nothing if the database file
// itself is missing.
func (db *sqliteFile) rescueLog() {
	if db.files.inPlace(0) && !db.files.overwritten() {
		_, _ = db.writer.execRows(context.Background(), `PRAGMA wal_checkpoint(FULL)`) // the write is refused anyway
	}
}

func (db *sqliteFile) Ready(ctx context.Context) error {
	if err := db.writable(); err != nil {
		return err
	}
	var n int
	_, err := queryRow(ctx, db.readers, `SELECT COUNT(*) FROM internet_speed`, nil, &n)
	return err
}

// Ready also returns an error if PostgreSQL accepts no writes, because another server may be
// connected to one that does.
func (pg *postgresPool) Ready(ctx context.Context) error {
	var readOnly bool
	_, err := queryRow(ctx, pg.readers(), `SELECT current_setting('transaction_read_only') = 'on' FROM (SELECT COUNT(*) FROM internet_speed) AS read`, nil, &readOnly)
	if err == nil && readOnly {
		return unavailable("the database is read-only now", nil)
	}
	return err
}
