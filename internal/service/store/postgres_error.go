package store

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"ativa/internal/service/domain"
)

// SQLSTATEs of PostgreSQL that are handled differently.
const (
	uniqueViolation      = "23505"
	unknownSavepoint     = "3B001"
	transactionAborted   = "25P02" // by an earlier statement
	readOnlyTransaction  = "25006" // the primary became a standby, or was set to read-only
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	queryCanceled        = "57014" // statement_timeout
	invalidAuthorization = "28000"
	invalidPassword      = "28P01"
	unknownDatabase      = "3D000"
	diskFull             = "53100"
	tooManyConnections   = "53300"
	cannotConnectNow     = "57P03" // the server is starting or stopping
	missingPrivilege     = "42501"
)

func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// postgresError returns what an error means to the caller: a temporary fault is Unavailable.
func postgresError(err error) error {
	_, refused := errors.AsType[*domain.Error](err)
	switch {
	case err == nil, refused, errors.Is(err, context.Canceled):
		return err
	case retryable(err):
		return unavailable("too many writes at once", err)
	case postgresCode(err) == lockNotAvailable, postgresCode(err) == queryCanceled, errors.Is(err, context.DeadlineExceeded):
		return unavailable("the database took too long", err)
	case postgresCode(err) == readOnlyTransaction:
		return unavailable("the database is read-only now", err)
	case postgresCode(err) == diskFull:
		return unavailable("the disk of the database is full", err)
	case postgresCode(err) == tooManyConnections:
		return unavailable("all connections of the database are in use", causeOf(err))
	case temporary(err), connectionLost(err):
		return unavailable("the database cannot be reached now", causeOf(err))
	case postgresCode(err) == missingPrivilege:
		return &domain.TextError{Detail: "the database does not permit this user to do that: make it the owner of the tables", Err: err}
	}
	return err
}

// causeOf returns what the server or the network said, without the attempts to connect that the
// driver lists around it.
func causeOf(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		return network
	}
	return err
}

// retryable reports whether the database wants the transaction to be run again.
func retryable(err error) bool {
	code := postgresCode(err)
	return code == serializationFailure || code == deadlockDetected
}

// temporary reports whether the server is in a temporary state: starting, stopping, failing over,
// out of connections, memory or disk.
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

// connectionLost reports whether a connection broke or could not be made. A refused login counts,
// because it worked when the server started: a password is being changed, a standby does not know
// its clients, or a database is being restored. An error of a file does not count, although every
// syscall.Errno is a net.Error. Neither does io.EOF, the end of a file: pgx reports the end of a
// connection as io.ErrUnexpectedEOF.
func connectionLost(err error) bool {
	_, login := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[*net.OpError](err)
	return login || network || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.ErrUnexpectedEOF)
}
