package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
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

// An error of opening a database names it and the remedy in words that can be translated. Any other
// refusal keeps the server's own words, without those of the driver.
func TestAnErrorOfOpeningNamesTheDatabase(t *testing.T) {
	for code, want := range map[string]string{
		tooManyConnections: "all connections of database %s are in use",
		cannotConnectNow:   "database %s is starting or stopping",
		diskFull:           "the disk of database %s is full",
		invalidPassword:    "database %s does not let this user in; check the user and the password",
		missingPrivilege:   "database %s does not permit this user to do that: make it the owner of the database and of its tables",
		unknownDatabase:    "database %s does not exist on its server",
		unknownTable:       "database %s lacks a table or a column: correct its search_path, or restore a backup",
		"55000":            "",
	} {
		refused := &pgconn.PgError{Severity: "FATAL", Code: code, Message: "it is closed"}
		err := openError("db/ativa", fmt.Errorf("tls error: refused: %w", refused))
		if text, ok := errors.AsType[*domain.TextError](err); ok != (want != "") || ok && (text.Detail != want) {
			t.Errorf("%s: got %#v, want %q", code, err, want)
		} else if !ok && err.Error() != "database db/ativa: it is closed" {
			t.Errorf("%s: got %v, want the text of the server", code, err)
		}
	}
}
