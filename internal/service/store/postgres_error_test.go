package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"

	"ativa/internal/service/domain"
)

// A full directory of temporary files is not an outage of the database, and a read-only database is
// not an unreachable one.
func TestPostgresErrorsAreNamed(t *testing.T) {
	const unreachable = "the database cannot be reached now"
	full := &fs.PathError{Op: "write", Path: "spill", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string // empty: not a fault of the database
	}{
		{full, ""},
		{fmt.Errorf("spill: %w", full), ""},
		{&fs.PathError{Op: "open", Path: "spill", Err: syscall.EACCES}, ""},
		{os.NewSyscallError("mmap", syscall.ENOMEM), ""},
		{fmt.Errorf("spill: %w", io.EOF), ""},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, unreachable},
		{fmt.Errorf("write failed: %w", &net.OpError{Op: "write", Err: os.ErrDeadlineExceeded}), unreachable},
		{&pgconn.PgError{Code: "57P01"}, unreachable},
		{&pgconn.PgError{Code: readOnlyTransaction}, "the database is read-only now"},
		{&pgconn.PgError{Code: tooManyConnections}, "all connections of the database are in use"},
		{&pgconn.PgError{Code: diskFull}, "the disk of the database is full"},
		{sqlite.ResultIOErrRead.ToError(), "the database cannot be read or written now"},
		{sqlite.ResultConstraintPrimaryKey.ToError(), ""},
		{nil, ""},
		{context.Canceled, ""},
		{&domain.Error{Code: domain.NameTaken, Err: &pgconn.PgError{Code: uniqueViolation}}, ""},
	} {
		got := ""
		if fault := Fault(c.err); fault != nil {
			got = fault.Message
		}
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}

// The frequent faults of a connection have words that can be translated, by their SQLSTATE.
func TestAFailedConnectionHasAReason(t *testing.T) {
	for code, want := range map[string][2]string{
		tooManyConnections: {"database %s cannot be reached", "all its connections are in use"},
		cannotConnectNow:   {"database %s cannot be reached", "it is starting or stopping"},
		diskFull:           {"database %s cannot be reached", "its disk is full"},
		missingPrivilege:   {"database %s does not permit this user to do that: make it the owner of the database", "failed: FATAL: (SQLSTATE 42501)"},
		unknownDatabase:    {"database %s does not exist on its server", "failed: FATAL: (SQLSTATE 3D000)"},
	} {
		err := (&postgresPool{where: "db/ativa"}).connectError(fmt.Errorf("failed: %w", &pgconn.PgError{Severity: "FATAL", Code: code}))
		text, ok := errors.AsType[*domain.TextError](err)
		if !ok || text.Detail != want[0] || text.Err.Error() != want[1] {
			t.Errorf("%s: got %#v, want %q", code, err, want)
		}
	}
}

// Any other refusal is reported in PostgreSQL's own words, without those of the driver.
func TestOtherRefusalsKeepTheTextOfTheServer(t *testing.T) {
	err := (&postgresPool{where: "db/ativa"}).connectError(fmt.Errorf("tls error: server refused TLS connection: %w", &pgconn.PgError{Severity: "FATAL", Code: "55000", Message: "it is closed"}))
	if got, want := err.Error(), "database db/ativa: it is closed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The error of a missing privilege says who must get it.
func TestAMissingPrivilegeNamesTheRemedy(t *testing.T) {
	err := postgresError(fmt.Errorf("rows: %w", &pgconn.PgError{Severity: "ERROR", Code: missingPrivilege}))
	if text, ok := errors.AsType[*domain.TextError](err); !ok || !strings.Contains(text.Detail, "make it the owner of the tables") {
		t.Errorf("got %v, want whom to make the owner", err)
	}
}
