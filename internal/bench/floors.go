//go:build linux

package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ativa/internal/service/store/pgcluster"
)

// engine is a database: the program's storage and the floor to compare with.
type engine interface {
	name() string
	dsn() string
	// fresh replaces the program's database by an empty one.
	fresh(context.Context)
	// script runs statements in the database's own client.
	script(ctx context.Context, statements string) (stdout string)
	// importFloor returns the seconds that the client takes to write the data of an import.
	importFloor(ctx context.Context, csv string) (seconds float64)
	// list returns a query that writes all subscribers with their services as JSON.
	list() string
}

// openEngine returns the engine with a name. For PostgreSQL it starts a private cluster.
func openEngine(name, dir string) engine {
	switch name {
	case "sqlite":
		return sqlite{filepath.Join(dir, "sqlite")}
	case "postgres":
		return postgres{must(pgcluster.Start("shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min", "maintenance_work_mem=256MB"))}
	}
	panic("-engine: " + name + " is neither sqlite nor postgres")
}

// shell runs statements in a database's own client.
func shell(ctx context.Context, statements, program string, args ...string) (stdout string) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = strings.NewReader(statements)
	return run(cmd)
}

// sqlite is a directory for database files.
type sqlite struct{ dir string }

func (sqlite) name() string  { return "SQLite" }
func (e sqlite) dsn() string { return "sqlite:" + filepath.Join(e.dir, "ativa.db") }

func (e sqlite) fresh(context.Context) {
	check(os.RemoveAll(e.dir))
	check(os.Mkdir(e.dir, 0o700))
}

func (e sqlite) script(ctx context.Context, statements string) string {
	return shell(ctx, statements, "sqlite3", "-bail", "-cmd", ".timeout 10000", filepath.Join(e.dir, "ativa.db"))
}

// importFloor writes exactly the rows of the import, with the same schema, indexes and settings as
// the program's writer, 5,000 subscribers' rows per commit: slices of the tables' keys.
func (e sqlite) importFloor(ctx context.Context, _ string) float64 {
	from := filepath.Join(e.dir, "from.db")
	e.script(ctx, ".backup "+from)
	script := "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-32768; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=10000;\n" +
		e.script(ctx, ".schema --nosys") + "ATTACH '" + from + "' AS s;\nINSERT INTO main.idempotency_response SELECT * FROM s.idempotency_response;\n"
	const commits = 40
	for n := range commits {
		script += "BEGIN;\n"
		for _, key := range []string{"subscriber.id", "service.id", "operation.id", "event.id", "delivery.service_id"} {
			table, column, _ := strings.Cut(key, ".")
			script += fmt.Sprintf(`INSERT INTO main.%[1]s SELECT t.* FROM s.%[1]s t, (SELECT MIN(%[2]s) AS a, MAX(%[2]s) + 1 - MIN(%[2]s) AS n FROM s.%[1]s) r
	WHERE t.%[2]s >= r.a + r.n * %[3]d / %[5]d AND t.%[2]s < r.a + r.n * %[4]d / %[5]d;
`, table, column, n, n+1, commits)
		}
		script += "COMMIT;\n"
	}
	return timed(func() { shell(ctx, script, "sqlite3", "-bail", filepath.Join(e.dir, "floor.db")) })
}

func (sqlite) list() string {
	return `SELECT json_object('name', s.name, 'email', s.email, 'document', s.document, 'phone', s.phone, 'internet_speed_id', s.internet_speed_id,
	'customer_plan', s.customer_plan, 'created_at', s.created_at, 'services', (SELECT json_group_array(json_object(
	'content_supplier_product_id', v.product_id, 'status_id', v.status_id, 'token_created_at', v.created_at, 'status_updated_at', v.updated_at))
	FROM service v WHERE v.id >= s.id * 4096 AND v.id < (s.id + 1) * 4096)) FROM subscriber s ORDER BY s.id;`
}

// postgres is a running cluster.
type postgres struct{ *pgcluster.Cluster }

func (postgres) name() string  { return "PostgreSQL" }
func (e postgres) dsn() string { return e.URL("ativa_bench") }

func (e postgres) fresh(ctx context.Context) {
	check(e.Run(ctx, "postgres", "DROP DATABASE IF EXISTS ativa_bench WITH (FORCE)"))
	check(e.Run(ctx, "postgres", "CREATE DATABASE ativa_bench TEMPLATE template0"))
}

func (e postgres) script(ctx context.Context, statements string) string {
	return shell(ctx, statements, "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", "-", e.dsn())
}

//go:embed floor_postgres.sql
var floorOfPostgres string

func (e postgres) importFloor(ctx context.Context, csv string) float64 {
	return timed(func() { e.script(ctx, strings.ReplaceAll(floorOfPostgres, "$csv", csv)) })
}

func (postgres) list() string {
	text := strings.NewReplacer("json_object(", "json_build_object(", "json_group_array(", "json_agg(").Replace(sqlite{}.list())
	return "COPY (" + strings.TrimSuffix(text, ";") + ") TO STDOUT;"
}
