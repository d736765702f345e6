//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ativa/internal/service/store/pgcluster"
)

// engine is a database: what the program stores in, and the floor to compare with.
type engine interface {
	name() string
	// fresh creates an empty database for the program; drop deletes it.
	fresh(context.Context) (dsn string)
	drop(ctx context.Context, dsn string)
	// script runs statements in the database's own client.
	script(ctx context.Context, dsn, statements string) (stdout string)
	// importFloor returns the seconds that the client takes to write what an import wrote.
	importFloor(ctx context.Context, dsn, csv string) float64
	// list returns a query that writes all subscribers with their services as JSON.
	list() string
	// written returns how many rows have been written so far, if the database counts them, else 0.
	written(ctx context.Context, dsn string) float64
}

// client runs a database's own client.
func client(ctx context.Context, statements, program string, args ...string) string {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = strings.NewReader(statements)
	return string(output(cmd))
}

// openEngine returns the engine with a name. For PostgreSQL it starts a private cluster.
func openEngine(name, dir string) engine {
	switch name {
	case "sqlite":
		return &sqlite{dir: dir}
	case "postgres":
		return &postgres{cluster: must(pgcluster.Start("shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min", "maintenance_work_mem=256MB"))}
	}
	check(fmt.Errorf("-engine: %q is neither sqlite nor postgres", name))
	return nil
}

type sqlite struct{ dir string }

func (*sqlite) name() string { return "SQLite" }

func (e *sqlite) fresh(context.Context) string {
	return "sqlite:" + filepath.Join(must(os.MkdirTemp(e.dir, "run-")), "ativa.db")
}

func (*sqlite) drop(_ context.Context, dsn string) {
	check(os.RemoveAll(filepath.Dir(strings.TrimPrefix(dsn, "sqlite:"))))
}

func (*sqlite) script(ctx context.Context, dsn, statements string) string {
	return client(ctx, statements, "sqlite3", "-bail", "-cmd", ".timeout 10000", strings.TrimPrefix(dsn, "sqlite:"))
}

func (*sqlite) written(context.Context, string) float64 { return 0 }

// importFloor writes the very rows that the import left, with the same schema
// and indexes and the settings of the program's writer, 5,000 subscribers' rows
// in a commit: slices of the tables' keys.
func (e *sqlite) importFloor(ctx context.Context, dsn, _ string) float64 {
	dir := must(os.MkdirTemp(e.dir, "floor-"))
	defer os.RemoveAll(dir)
	from, to := filepath.Join(dir, "from.db"), "sqlite:"+filepath.Join(dir, "to.db")
	e.script(ctx, dsn, ".backup "+from)
	script := "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-32768; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=10000;\n" +
		e.script(ctx, "sqlite:"+from, ".schema --nosys") + "ATTACH '" + from + "' AS s;\nINSERT INTO main.idempotency_response SELECT * FROM s.idempotency_response;\n"
	const commits = 40
	for n := range commits {
		script += "BEGIN;\n"
		for _, key := range []string{"subscriber.id", "service.id", "operation.id", "event.id", "job.service_id"} {
			table, column, _ := strings.Cut(key, ".")
			script += fmt.Sprintf(`INSERT INTO main.%[1]s SELECT t.* FROM s.%[1]s t, (SELECT MIN(%[2]s) AS a, MAX(%[2]s) + 1 - MIN(%[2]s) AS n FROM s.%[1]s) r
	WHERE t.%[2]s >= r.a + r.n * %[3]d / %[5]d AND t.%[2]s < r.a + r.n * %[4]d / %[5]d;
`, table, column, n, n+1, commits)
		}
		script += "COMMIT;\n"
	}
	began := time.Now()
	e.script(ctx, to, script)
	return time.Since(began).Seconds()
}

func (*sqlite) list() string {
	return `SELECT json_object('name', s.name, 'email', s.email, 'document', s.document, 'phone', s.phone, 'internet_speed_id', s.internet_speed_id,
	'customer_plan', s.customer_plan, 'created_at', s.created_at, 'services', (SELECT json_group_array(json_object(
	'content_supplier_product_id', v.product_id, 'status_id', v.status_id, 'token_created_at', v.created_at, 'status_updated_at', v.updated_at))
	FROM service v WHERE v.id >= s.id * 4096 AND v.id < (s.id + 1) * 4096)) FROM subscriber s ORDER BY s.id;`
}

type postgres struct {
	cluster *pgcluster.Cluster // runs as long as it is referenced
	made    int
}

func (*postgres) name() string { return "PostgreSQL" }

func (e *postgres) fresh(ctx context.Context) string {
	e.made++
	name := fmt.Sprintf("ativa_bench_%d", e.made)
	check(pgcluster.Exec(ctx, e.cluster.URL("postgres"), "CREATE DATABASE "+name+" TEMPLATE template0"))
	return e.cluster.URL(name)
}

func (e *postgres) drop(ctx context.Context, _ string) {
	check(pgcluster.Exec(ctx, e.cluster.URL("postgres"), fmt.Sprintf("DROP DATABASE ativa_bench_%d WITH (FORCE)", e.made)))
}

func (*postgres) script(ctx context.Context, dsn, statements string) string {
	return client(ctx, statements, "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", "-", dsn)
}

func (e *postgres) written(ctx context.Context, dsn string) (n float64) {
	out := e.script(ctx, dsn, `SELECT pg_stat_clear_snapshot(); SELECT SUM(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables;`)
	_, err := fmt.Sscan(out, &n)
	return must(n, err)
}

// importFloor loads the spreadsheet into the minimal tables that the service needs, without
// operations, history, authentication or search.
func (e *postgres) importFloor(ctx context.Context, dsn, csv string) float64 {
	began := time.Now()
	e.script(ctx, dsn, fmt.Sprintf(`CREATE SCHEMA floor;
SET search_path = floor;
CREATE TABLE subscriber(id BIGINT PRIMARY KEY, provider_id INT NOT NULL, document TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
	phone TEXT NOT NULL, internet_speed_id INT NOT NULL, customer_plan TEXT NOT NULL, created_at TIMESTAMPTZ NOT NULL);
CREATE UNIQUE INDEX ON subscriber(provider_id, document);
CREATE TABLE service(subscriber_id BIGINT NOT NULL, product_id INT NOT NULL, status_id INT NOT NULL, token BYTEA NOT NULL,
	created_at TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ NOT NULL, PRIMARY KEY(subscriber_id, product_id));
CREATE TABLE outbox(id BIGSERIAL PRIMARY KEY, kind INT NOT NULL, subscriber_id BIGINT NOT NULL, product_id INT NOT NULL,
	attempt INT NOT NULL, run_at TIMESTAMPTZ NOT NULL);
CREATE INDEX ON outbox(run_at);
CREATE TEMP TABLE st(id BIGSERIAL, name TEXT, email TEXT, document TEXT, phone TEXT, internet_speed_id INT, customer_plan TEXT, products_ids TEXT);
\copy st(name,email,document,phone,internet_speed_id,customer_plan,products_ids) FROM '%s' CSV HEADER
BEGIN;
INSERT INTO subscriber SELECT id,1,document,name,email,phone,internet_speed_id,customer_plan,now() FROM st ON CONFLICT DO NOTHING;
INSERT INTO service SELECT st.id, p::int, 10, gen_random_uuid()::text::bytea, now(), now() FROM st, unnest(string_to_array(products_ids,';')) p;
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at) SELECT 1, subscriber_id, product_id, 0, created_at FROM service;
COMMIT;
`, csv))
	return time.Since(began).Seconds()
}

func (*postgres) list() string {
	text := strings.NewReplacer("json_object(", "json_build_object(", "json_group_array(", "json_agg(").Replace((&sqlite{}).list())
	return "COPY (" + strings.TrimSuffix(text, ";") + ") TO STDOUT;"
}
