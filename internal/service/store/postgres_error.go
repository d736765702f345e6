package store

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
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
	unknownTable         = "42P01"
	unknownColumn        = "42703"
)

func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// postgresCondition returns what an error says about a database.
func postgresCondition(err error) (c condition) {
	code := postgresCode(err)
	switch code {
	case serializationFailure, deadlockDetected:
		c = condition{Message: "too many writes at once"}
	case lockNotAvailable, queryCanceled:
		c = condition{Message: "the database took too long"}
	case readOnlyTransaction:
		c = condition{Message: "the database is read-only now", Detail: "database %s is read-only", passes: true}
	case diskFull:
		c = condition{Message: "the disk of the database is full", Detail: "the disk of database %s is full", passes: true}
	case tooManyConnections:
		c = condition{Message: "all connections of the database are in use", Detail: "all connections of database %s are in use", passes: true}
	case cannotConnectNow:
		c = condition{Detail: "database %s is starting or stopping", passes: true}
	case invalidPassword, invalidAuthorization:
		c = condition{Detail: "database %s does not let this user in; check the user and the password"}
	case unknownDatabase:
		c = condition{Detail: "database %s does not exist on its server"}
	case missingPrivilege:
		c = condition{Detail: "database %s does not permit this user to do that: make it the owner of the database and of its tables"}
	case unknownTable, unknownColumn:
		c = condition{Detail: "database %s lacks a table or a column: correct its search_path, or restore a backup"}
	case "":
		if errors.Is(err, context.DeadlineExceeded) {
			c = condition{Message: "the database took too long", Detail: "database %s cannot be reached", passes: true}
		} else if strings.HasSuffix(err.Error(), "server refused TLS connection") { // pgx has no error for it
			c = condition{Detail: "database %s offers no TLS, which sslmode asks for", passes: true}
		}
	}
	if lost := temporary(err) || connectionLost(err); lost && c.Message == "" {
		c.Message = "the database cannot be reached now"
		if c.Detail == "" && (code == "" || temporary(err)) {
			c.Detail, c.passes = "database %s cannot be reached", true
		}
	}
	return c
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
