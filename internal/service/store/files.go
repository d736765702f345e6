package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ativa/internal/service/domain"
)

// sqliteFiles are the files of an open database, as they were when it was opened. SQLite keeps
// writing to a file that was deleted or renamed, and that data is lost when the process ends. So a
// write is acknowledged only while the names still refer to these files.
type sqliteFiles struct {
	names []string // the database itself is the first
	infos []os.FileInfo
	main  *os.File // the database itself; closed after all connections, because closing it releases their locks
	log   *os.File // nil exactly if main is
}

// lockFile ends the name of the file that a server locks.
const lockFile = ".lock"

// filesOf returns the files of an open database, with the lock of an exclusive one.
func filesOf(path string, exclusive bool) (f sqliteFiles, err error) {
	f.names = []string{path, path + "-wal", path + "-shm"}
	if exclusive { // without the lock a second server could start
		f.names = append(f.names, path+lockFile)
	}
	for _, name := range f.names {
		info, err := os.Stat(name)
		if err != nil {
			return sqliteFiles{}, fmt.Errorf("database: %w", err)
		}
		f.infos = append(f.infos, info)
	}
	if f.log, err = os.Open(path + "-wal"); err == nil {
		f.main, err = os.Open(path)
	}
	return f, err
}

func (f sqliteFiles) close() error {
	if f.main == nil {
		return nil
	}
	return errors.Join(f.main.Close(), f.log.Close())
}

// check returns an error with code Unavailable if a file was deleted, renamed, replaced or
// overwritten. An inode is not reused while a process has its file open, so a file that is put back
// is recognised.
func (f sqliteFiles) check() error {
	if err := f.overwritten(); err != nil {
		return err
	}
	for i, name := range f.names {
		if !f.inPlace(i) {
			return missingFile(name)
		}
	}
	return nil
}

// overwritten returns an error with code Unavailable if a backup was copied over the database, or its
// log was emptied and written to again: SQLite would then lose the log, or copy zeros into the database.
func (f sqliteFiles) overwritten() error {
	var magic [4]byte
	switch {
	case f.main == nil:
		return nil
	case hasNoLog(f.main):
		return missingFile(f.names[0])
	}
	if n, _ := f.log.ReadAt(magic[:], 0); n == len(magic) && magic == [4]byte{} { // a new log is empty
		return missingFile(f.names[1])
	}
	return nil
}

// inPlace reports whether the name of file i still refers to it. Windows refuses to
// delete, rename or replace an open file.
func (f sqliteFiles) inPlace(i int) bool {
	now, err := os.Stat(f.names[i])
	return err == nil && (runtime.GOOS == "windows" || os.SameFile(now, f.infos[i]))
}

func missingFile(name string) error {
	remedy := "put it back, or restart on a backup"
	if strings.HasSuffix(name, lockFile) {
		remedy = "restart the server"
	}
	return unavailable("the file "+filepath.Base(name)+" was deleted, renamed or replaced while the server runs: nothing is written; "+remedy, nil)
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

// resolvePath follows a symbolic link to a database, because SQLite puts its other files beside the
// target. It returns an error if the log of another database lies beside a backup: SQLite would
// apply the log and damage the file. An error of the file itself is left to opening it.
func resolvePath(path string) (string, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
			if err := logAlone(path); err != nil { // an empty file was made where the link points
				return "", err
			}
		}
	}
	log, err := os.Stat(path + "-wal")
	if err != nil || log.Size() == 0 {
		return path, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return path, nil
	}
	defer file.Close()
	if hasNoLog(file) {
		return "", &domain.TextError{Detail: "database %s is a restored backup, and the log %[1]s-wal beside it is of another database: move %[1]s-wal and %[1]s-shm away", Args: []any{path}}
	}
	return path, nil
}

// logAlone returns an error if there is the log of a database, with writes that are perhaps nowhere
// else, and no database: a new one would make it useless.
func logAlone(path string) error {
	isEmpty := func(path string) bool {
		file, err := os.Stat(path)
		return errors.Is(err, fs.ErrNotExist) || err == nil && file.Size() == 0
	}
	if isEmpty(path) && !isEmpty(path+"-wal") {
		return &domain.TextError{Detail: "the log %s-wal has no database %[1]s: put the database back, or move the log away", Args: []any{path}}
	}
	return nil
}

// writable returns an error if nothing may be written, because a file is missing or damaged.
func (db *sqliteFile) writable() error { return cmp.Or(db.files.check(), db.damage.err()) }

// withFilesInPlace runs a step of the writer: a transaction, or work between two. It returns an
// error if a file is missing or damaged before or after it.
func (db *sqliteFile) withFilesInPlace(step func() error) error {
	err := db.writable()
	if err == nil {
		err = step()
	}
	if err == nil {
		err = db.writable()
	}
	if err != nil && db.files.check() != nil {
		db.rescueLog()
	}
	return err
}

// rescueLog copies the write-ahead log into the database file after the log was deleted or
// renamed, so that acknowledged writes outlive the process. It does nothing if the database file
// itself is missing.
func (db *sqliteFile) rescueLog() {
	if db.files.inPlace(0) && db.files.overwritten() == nil {
		_, _ = db.writer.execRows(context.Background(), `PRAGMA wal_checkpoint(FULL)`) // the write is refused anyway
	}
}
