package store

import (
	"errors"

	driver "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"
)

// sqliteCondition returns what a result code says about a file.
func sqliteCondition(err error) condition {
	switch sqliteCode(err) {
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultProtocol:
		return condition{Message: "the database is locked by another program", Detail: "database %s is locked by another program", passes: true}
	case sqlite.ResultFull:
		return condition{Message: "the disk of the database is full"}
	case sqlite.ResultReadOnly, sqlite.ResultPerm:
		return condition{Message: "the database cannot be written", Detail: "database %s and its directory must both be writable"}
	case sqlite.ResultCantOpen: // SQLite creates files beside it
		return condition{Message: "the database cannot be read or written now", Detail: "database %s and its directory must both be writable"}
	case sqlite.ResultIOErr: // also if there is no room for the files beside it
		return condition{Message: "the database cannot be read or written now", Detail: "database %s cannot be read or written: its disk is full or faulty"}
	case sqlite.ResultNoMem:
		return condition{Message: "the database cannot be read or written now"}
	case sqlite.ResultCorrupt:
		return condition{Message: "the database is damaged; restore a backup", Detail: "database %s is damaged: restore a backup"}
	case sqlite.ResultNotADB:
		return condition{Message: "the database is damaged; restore a backup", Detail: "%s is not a database of Ativa"}
	}
	return condition{}
}

// sqliteCode returns the primary result code of a SQLite error. Migrations return errors of
// another driver.
func sqliteCode(err error) sqlite.ResultCode {
	if migrating, ok := errors.AsType[*driver.Error](err); ok {
		return sqlite.ResultCode(migrating.Code()).ToPrimary()
	}
	return sqlite.ErrCode(err).ToPrimary()
}
