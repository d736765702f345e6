package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pressly/goose/v3"
	"zombiezen.com/go/sqlite"
)

// sqliteConn is one connection to a file, used by one goroutine at a time.
type sqliteConn struct{ conn *sqlite.Conn }

var sqliteDialect = &dialect{
	migrations: "migrations/sqlite", goose: goose.DialectSQLite3,
	among:             `IN (SELECT value FROM json_each(?))`,
	tables:            `SELECT name FROM sqlite_master WHERE type = 'table'`,
	isUniqueViolation: func(err error) bool { return sqliteCode(err) == sqlite.ResultConstraint },
	endsTransaction:   func(err error) bool { return sqliteCondition(err) != (condition{}) }, // SQLite may have rolled back
}

func openSQLiteConn(path string) (*sqliteConn, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyTimeout)
	return &sqliteConn{conn}, nil
}

func (s *sqliteConn) dialect() *dialect { return sqliteDialect }

// interruptOn interrupts the statements of the connection when the context ends, until done is
// called.
func (s *sqliteConn) interruptOn(ctx context.Context) (done func()) {
	s.conn.SetInterrupt(ctx.Done())
	return func() { s.conn.SetInterrupt(nil) }
}

func (s *sqliteConn) query(ctx context.Context, query string, args []any, scan func(row) error) error {
	return s.rows(ctx, query, args, func(st *sqlite.Stmt) error { return scan(sqliteRow{st}) })
}

func (s *sqliteConn) execRows(ctx context.Context, query string, args ...any) (int64, error) {
	err := s.rows(ctx, query, args, func(*sqlite.Stmt) error { return nil })
	return int64(s.conn.Changes()), err
}

// queue runs a statement at once, because SQLite has no round trips to save.
func (s *sqliteConn) queue(ctx context.Context, query string, args ...any) error {
	_, err := s.execRows(ctx, query, args...)
	return err
}

func (*sqliteConn) flush(context.Context) error { return nil }

// rows runs a statement, which the connection prepares once. A scan must not run the same
// statement on this connection.
func (s *sqliteConn) rows(ctx context.Context, query string, args []any, each func(*sqlite.Stmt) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	// For a bare LIMIT parameter SQLite plans with its value, and so parses the statement anew
	// each time it is bound.
	st, err := s.conn.Prepare(strings.ReplaceAll(query, "LIMIT ?", "LIMIT 0+?"))
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() { err = errors.Join(err, st.Reset()) }()
	for i, value := range args {
		if err := bind(st, i+1, value); err != nil {
			return err
		}
	}
	for {
		more, err := st.Step()
		if err != nil {
			return interrupted(ctx, err)
		}
		if !more {
			return nil
		}
		if err := each(st); err != nil {
			return err
		}
	}
}

// interrupted returns the error of the context if it interrupted a statement, else err.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && sqliteCode(err) == sqlite.ResultInterrupt {
		return ctx.Err()
	}
	return err
}

func bind(st *sqlite.Stmt, i int, value any) error {
	switch v := value.(type) {
	case int64:
		st.BindInt64(i, v)
	case string:
		st.BindText(i, v)
	case nil:
		st.BindNull(i)
	case []byte:
		st.BindBytes(i, v)
	case bool:
		st.BindBool(i, v)
	case float64:
		st.BindFloat(i, v)
	case []int64:
		list, err := json.Marshal(v)
		st.BindText(i, string(list))
		return err
	default:
		plain := underlying(value)
		if reflect.TypeOf(plain) == reflect.TypeOf(value) {
			return fmt.Errorf("a parameter is a %T", value)
		}
		return bind(st, i, plain)
	}
	return nil
}

func (s *sqliteConn) close() error { return s.conn.Close() }

// sqliteRow is the current row of a statement.
type sqliteRow struct{ *sqlite.Stmt }

// Scan implements row.
func (r sqliteRow) Scan(targets ...any) error {
	for i, target := range targets {
		if err := r.column(i, target); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func (r sqliteRow) column(i int, target any) error {
	if t, ok := target.(pgtype.Int64Scanner); ok { // the most frequent case
		n, is := r.ColumnInt64(i), sqlite.TypeInteger
		if n == 0 { // or not a number
			is = r.ColumnType(i)
		}
		if is != sqlite.TypeInteger && is != sqlite.TypeNull {
			return checkType(is, sqlite.TypeInteger)
		}
		return t.ScanInt64(pgtype.Int8{Int64: n, Valid: is == sqlite.TypeInteger})
	}
	is, want := r.ColumnType(i), sqlite.TypeInteger
	switch t := target.(type) {
	case *string:
		*t, want = r.ColumnText(i), sqlite.TypeText
	case *int64:
		*t = r.ColumnInt64(i)
	case *int:
		*t = r.ColumnInt(i)
	case *bool:
		*t = r.ColumnBool(i)
	case *float64:
		*t, want = r.ColumnFloat(i), sqlite.TypeFloat
	case *[]byte:
		*t, want = r.bytes(i), sqlite.TypeBlob
	case *any:
		*t = r.value(i, is)
		return nil
	default:
		return r.named(i, is, reflect.ValueOf(target).Elem())
	}
	return checkType(is, want)
}

// named reads into a variable of a named type.
func (r sqliteRow) named(i int, is sqlite.ColumnType, to reflect.Value) error {
	switch {
	case to.CanInt():
		to.SetInt(r.ColumnInt64(i))
	case to.CanUint():
		to.SetUint(uint64(r.ColumnInt64(i)))
	case to.Kind() == reflect.String:
		to.SetString(r.ColumnText(i))
		return checkType(is, sqlite.TypeText)
	default:
		return fmt.Errorf("it cannot be read into a %s", to.Type())
	}
	return checkType(is, sqlite.TypeInteger)
}

func checkType(is, want sqlite.ColumnType) error {
	if is != want {
		return fmt.Errorf("it holds %s where %s is expected", is, want)
	}
	return nil
}

func (r sqliteRow) bytes(i int) []byte {
	b := make([]byte, r.ColumnLen(i))
	r.ColumnBytes(i, b)
	return b
}

func (r sqliteRow) value(i int, is sqlite.ColumnType) any {
	switch is {
	case sqlite.TypeInteger:
		return r.ColumnInt64(i)
	case sqlite.TypeFloat:
		return r.ColumnFloat(i)
	case sqlite.TypeText:
		return r.ColumnText(i)
	case sqlite.TypeBlob:
		return r.bytes(i)
	}
	return nil
}
