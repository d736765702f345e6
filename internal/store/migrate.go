package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// schemaVersion is asked for without goose, which would make its table.
const schemaVersion = `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`

// migrate brings a database to this program's schema; where names it in errors.
func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, folder, where string) error {
	dir, err := fs.Sub(migrations, "migrations/"+folder)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, dir)
	if err != nil {
		return err
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > target {
		return fmt.Errorf("database %s has version %d, newer than this program's %d: use a newer program", where, current, target)
	}
	_, err = p.Up(ctx)
	return err
}

func migrationsFolder(onPostgres bool) string {
	if onPostgres {
		return "postgres"
	}
	return "sqlite"
}

// latestVersion is the schema's version that this program works with.
func latestVersion(folder string) (version int64, err error) {
	files, err := fs.Glob(migrations, "migrations/"+folder+"/*.sql")
	for _, name := range files {
		v, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		version = max(version, v)
	}
	return version, err
}
