// Package migrations brings a database to the schema of this program. It decides which version of
// the schema that is: its embedded files, one per version, in the dialect of each engine. It does
// not know what the tables are for.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed sqlite postgres
var files embed.FS

// Engine is a kind of database, and the name of the folder of its files.
type Engine string

// The engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// VersionQuery reads the schema version of a database that has one. It avoids goose, which would
// create its table.
const VersionQuery = `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`

// UnreleasedTable is a table that exists only in databases of builds before 0.1.0.
const UnreleasedTable = `answer`

// Latest returns the schema version that this program works with.
func Latest(e Engine) (version int64, err error) {
	names, err := fs.Glob(files, string(e)+"/*.sql")
	for _, name := range names {
		v, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		version = max(version, v)
	}
	return version, err
}

// Up migrates a database to the latest version and refuses a newer one; where names the database
// in that error.
func Up(ctx context.Context, db *sql.DB, e Engine, where string) error {
	folder, err := fs.Sub(files, string(e))
	if err != nil {
		return err
	}
	dialect := goose.DialectSQLite3
	if e == Postgres {
		dialect = goose.DialectPostgres
	}
	p, err := goose.NewProvider(dialect, db, folder)
	if err != nil {
		return err
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > target {
		return &RefusedError{"database %s has version %d, newer than this program's %d: use a newer program", []any{where, current, target}}
	}
	_, err = p.Up(ctx)
	return err
}

// RefusedError is the error for a database whose schema this program does not accept.
type RefusedError struct {
	text string
	args []any
}

// Unreleased returns the error for a database of a build before 0.1.0; where names it.
func Unreleased(where string) error {
	return &RefusedError{"database %s was made by a build before 0.1.0 and cannot be upgraded: begin a new database, and import into it what that build exports", []any{where}}
}

// Error returns the text in English.
func (e *RefusedError) Error() string { return fmt.Sprintf(e.text, e.args...) }

// Template returns the format string and its arguments.
func (e *RefusedError) Template() (text string, args []any) { return e.text, e.args }
