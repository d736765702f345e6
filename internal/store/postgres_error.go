package store

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"ativa/internal/provision"
)

// SQLSTATEs of PostgreSQL, in the cases that are told apart.
const (
	uniqueViolation      = "23505"
	undefinedTable       = "42P01"
	readOnlyTransaction  = "25006" // the primary became a standby, or was set so
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	queryCanceled        = "57014" // statement_timeout
	invalidAuthorization = "28000"
	invalidPassword      = "28P01"
	unknownDatabase      = "3D000"
)

func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// postgresError says what an error means to the caller: what passes by itself
// is Unavailable.
func postgresError(err error) error {
	_, refused := errors.AsType[*provision.Error](err)
	switch {
	case err == nil, refused, errors.Is(err, context.Canceled):
		return err
	case retryable(err):
		return unavailable("too many writes at once", err)
	case postgresCode(err) == lockNotAvailable, postgresCode(err) == queryCanceled, errors.Is(err, context.DeadlineExceeded):
		return unavailable("the database took too long", err)
	case postgresCode(err) == readOnlyTransaction:
		return unavailable("the database is read-only now", err)
	case temporary(err), connectionLost(err):
		return unavailable("the database cannot be reached now", err)
	}
	return err
}

// retryable reports that the database wants the transaction to be run again.
func retryable(err error) bool {
	code := postgresCode(err)
	return code == serializationFailure || code == deadlockDetected
}

// temporary reports a state of the server that passes: starting, stopping,
// failing over, out of connections, memory or disk.
func temporary(err error) bool {
	code := postgresCode(err)
	if code == "" {
		return false
	}
	switch code[:2] {
	case "08", "53", "58":
		return true
	}
	return code[:3] == "57P" || code == readOnlyTransaction
}

// connectionLost reports that there is no connection, or no longer. A login that is
// refused while a server runs is one that worked before: a password that is being
// changed, a standby that does not know its clients, a database that is being restored.
// An error of a file is none of these, although every syscall.Errno is a net.Error; nor
// is io.EOF, with which files end: pgx reports the end of a connection as unexpected.
func connectionLost(err error) bool {
	_, login := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[*net.OpError](err)
	return login || network || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.ErrUnexpectedEOF)
}
