package store

import (
	"errors"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"ativa/internal/provision"
)

// Fault names a fault of the database itself, such as a full disk or a lost
// connection, as an *provision.Error with code Unavailable: the request may
// succeed later. It returns nil for every other error.
func Fault(err error) *provision.Error {
	if fault := sqliteFault(err); fault != nil {
		return fault
	}
	var named *provision.Error
	if !errors.As(err, &named) && errors.As(postgresError(err), &named) && named.Code == provision.Unavailable {
		return named
	}
	return nil
}

// sqliteFault is Fault of errors of SQLite.
func sqliteFault(err error) *provision.Error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	var message string
	switch e.Code() & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		message = "the database is locked by another program"
	case lib.SQLITE_FULL:
		message = "the disk of the database is full"
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		message = "the database cannot be written"
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_NOMEM:
		message = "the database cannot be read or written now"
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		message = "the database is damaged; restore a backup"
	default:
		return nil
	}
	return &provision.Error{Code: provision.Unavailable, Message: message, Err: err}
}

// classify says what a failed write means: faults are named, every other
// error is left alone.
func classify(err error) error {
	if fault := sqliteFault(err); fault != nil {
		return fault
	}
	return err
}
