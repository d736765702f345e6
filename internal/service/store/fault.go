package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"

	"ativa/internal/service/domain"
	"ativa/internal/system"
)

// condition is what an error says about the database. Each engine has one function that returns it,
// which returns the zero condition for any other error.
type condition struct {
	Message string // of a domain.Error with code Unavailable, while the database is in use; "": a later attempt will not succeed
	Detail  string // of a domain.TextError, with the name of the database; "": the error says enough
	passes  bool   // a database that cannot be opened now may be opened later
}

// conditionOf returns the condition behind an error of either engine, unless it is in words already.
func conditionOf(err error) condition {
	if _, inWords := errors.AsType[*domain.TextError](err); inWords || err == nil || errors.Is(err, context.Canceled) {
		return condition{}
	}
	if c := sqliteCondition(err); c != (condition{}) {
		return c
	}
	return postgresCondition(err)
}

// Fault returns a fault of the database itself, such as a full disk or a lost connection, as an
// *domain.Error with code Unavailable: the request may succeed later. It returns nil for every
// other error.
func Fault(err error) *domain.Error {
	fault, named := errors.AsType[*domain.Error](err)
	if c := conditionOf(err); !named && c.Message != "" {
		return &domain.Error{Code: domain.Unavailable, Message: c.Message, Err: causeOf(err)}
	}
	if named && fault.Code == domain.Unavailable {
		return fault
	}
	return nil
}

// explain returns the error of a statement of a database in use as what it means to the caller.
func explain(where string, err error) error {
	if fault := Fault(err); fault != nil {
		return fault
	}
	if c := conditionOf(err); c.Detail != "" && c.Message == "" {
		return &domain.TextError{Detail: c.Detail, Args: []any{where}, Err: causeOf(err)}
	}
	return err
}

// openError returns an error of opening or inspecting a database as one line that names it and says
// what to do.
func openError(where string, err error) error {
	c := conditionOf(err)
	_, inWords := errors.AsType[*domain.TextError](err)
	refused, byServer := errors.AsType[*pgconn.PgError](err)
	switch {
	case sqliteCode(err) == sqlite.ResultFull:
		return &fs.PathError{Op: "write", Path: where, Err: system.ErrDiskFull}
	case c.Detail == "" && byServer && !inWords:
		return fmt.Errorf("database %s: %s", where, refused.Message)
	case c.Detail == "":
		return err
	}
	if text := err.Error(); strings.Contains(text, "\n") { // pgx lists its attempts
		err = errors.New(strings.Join(strings.Fields(text), " "))
	}
	text := &domain.TextError{Detail: c.Detail, Args: []any{where}, Err: err}
	if c.passes {
		return unavailable(text.Error(), text)
	}
	return text
}

// causeOf returns what the server or the network said, without the attempts to connect that the driver
// lists around it.
func causeOf(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		return network
	}
	return err
}
