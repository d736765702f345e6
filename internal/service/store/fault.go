package store

import (
	"errors"

	driver "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"

	"ativa/internal/service/domain"
)

// Fault returns a fault of the database itself, such as a full disk or a lost connection, as an
// *domain.Error with code Unavailable: the request may succeed later. It returns nil for every
// other error.
func Fault(err error) *domain.Error {
	if fault := sqliteFault(err); fault != nil {
		return fault
	}
	if _, named := errors.AsType[*domain.Error](err); named {
		return nil
	}
	if fault, ok := errors.AsType[*domain.Error](postgresError(err)); ok && fault.Code == domain.Unavailable {
		return fault
	}
	return nil
}

func sqliteFault(err error) *domain.Error {
	var message string
	switch sqliteCode(err) {
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultProtocol:
		message = "the database is locked by another program"
	case sqlite.ResultFull:
		message = "the disk of the database is full"
	case sqlite.ResultReadOnly, sqlite.ResultPerm:
		message = "the database cannot be written"
	case sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultNoMem:
		message = "the database cannot be read or written now"
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		message = "the database is damaged; restore a backup"
	default:
		return nil
	}
	return &domain.Error{Code: domain.Unavailable, Message: message, Err: err}
}

// nameFault returns the fault behind a SQLite error, or err itself.
func nameFault(err error) error {
	if fault := sqliteFault(err); fault != nil {
		return fault
	}
	return err
}

// sqliteCode returns the primary result code of a SQLite error. Migrations return errors of
// another driver.
func sqliteCode(err error) sqlite.ResultCode {
	if migrating, ok := errors.AsType[*driver.Error](err); ok {
		return sqlite.ResultCode(migrating.Code()).ToPrimary()
	}
	return sqlite.ErrCode(err).ToPrimary()
}
