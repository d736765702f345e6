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

	"ativa/internal/store/pgcluster"
)

// engine is a database: what the program stores in, and the floor beside it.
type engine interface {
	name() string
	// fresh makes an empty database for the program, drop takes it away.
	fresh(context.Context) (dsn string, err error)
	drop(ctx context.Context, dsn string) error
	// script runs statements in the database's own client.
	script(ctx context.Context, dsn, statements string) (stdout string, err error)
	// importFloor is the time in which the client writes what an import wrote.
	importFloor(ctx context.Context, dsn, csv string) (float64, error)
	// list is a query that writes all subscribers with their services as JSON.
	list() string
	// written is how many rows were written so far, where the database counts them.
	written(ctx context.Context, dsn string) (float64, error)
}

// client runs a database's own client.
func client(ctx context.Context, statements, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = strings.NewReader(statements)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, errs.String())
	}
	return string(out), nil
}

// openEngine makes the engine of a name; PostgreSQL is a private cluster.
func openEngine(name, dir string) (engine, error) {
	switch name {
	case "sqlite":
		return &sqlite{dir: dir}, nil
	case "postgres":
		cluster, err := pgcluster.Start("shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min", "maintenance_work_mem=256MB")
		return &postgres{cluster: cluster}, err
	}
	return nil, fmt.Errorf("-engine: %q is neither sqlite nor postgres", name)
}

type sqlite struct{ dir string }

func (*sqlite) name() string { return "SQLite" }

func (e *sqlite) fresh(context.Context) (string, error) {
	dir, err := os.MkdirTemp(e.dir, "run-")
	return "sqlite:" + filepath.Join(dir, "ativa.db"), err
}

func (*sqlite) drop(_ context.Context, dsn string) error {
	return os.RemoveAll(filepath.Dir(strings.TrimPrefix(dsn, "sqlite:")))
}

func (*sqlite) script(ctx context.Context, dsn, statements string) (string, error) {
	return client(ctx, statements, "sqlite3", "-bail", "-cmd", ".timeout 10000", strings.TrimPrefix(dsn, "sqlite:"))
}

func (*sqlite) written(context.Context, string) (float64, error) { return 0, nil }

// importFloor writes the very rows that the import left, with the same schema
// and indexes and the settings of the program's writer, 5,000 subscribers' rows
// in a commit: slices of the tables' ids.
func (e *sqlite) importFloor(ctx context.Context, dsn, _ string) (float64, error) {
	dir, err := os.MkdirTemp(e.dir, "floor-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	from, to := filepath.Join(dir, "from.db"), "sqlite:"+filepath.Join(dir, "to.db")
	if _, err := e.script(ctx, dsn, ".backup "+from); err != nil {
		return 0, err
	}
	script, err := e.script(ctx, "sqlite:"+from, `
SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type <> 'table';
SELECT 'ATTACH ''`+from+`'' AS s;';
SELECT 'INSERT INTO main.' || name || ' SELECT * FROM s.' || name || ';' FROM sqlite_master m
	WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('subscriber', 'service', 'operation', 'event', 'job');`)
	if err != nil {
		return 0, err
	}
	script = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-131072; PRAGMA temp_store=MEMORY; PRAGMA wal_autocheckpoint=10000;\n" + script
	const commits = 40
	for n := range commits {
		script += "BEGIN;\n"
		for _, table := range []string{"subscriber", "service", "operation", "event", "job"} {
			script += fmt.Sprintf(`INSERT INTO main.%[1]s SELECT t.* FROM s.%[1]s t, (SELECT MIN(id) AS a, MAX(id) + 1 - MIN(id) AS n FROM s.%[1]s) r
	WHERE t.id >= r.a + r.n * %[2]d / %[4]d AND t.id < r.a + r.n * %[3]d / %[4]d;
`, table, n, n+1, commits)
		}
		script += "COMMIT;\n"
	}
	began := time.Now()
	_, err = e.script(ctx, to, script)
	return time.Since(began).Seconds(), err
}

func (*sqlite) list() string {
	return `SELECT json_object('name', s.name, 'email', s.email, 'document', s.document, 'phone', s.phone, 'internet_speed_id', s.internet_speed_id,
	'customer_plan', s.customer_plan, 'created_at', s.created_at, 'services', (SELECT json_group_array(json_object(
	'content_supplier_product_id', v.product_id, 'status_id', v.status_id, 'token_created_at', v.created_at, 'status_updated_at', v.updated_at))
	FROM service v WHERE v.id >= s.id * 4096 AND v.id < (s.id + 1) * 4096)) FROM subscriber s ORDER BY s.id;`
}

type postgres struct {
	cluster *pgcluster.Cluster // lives as long as it is referred to
	made    int
}

func (*postgres) name() string { return "PostgreSQL" }

func (e *postgres) fresh(ctx context.Context) (string, error) {
	e.made++
	name := fmt.Sprintf("ativa_bench_%d", e.made)
	return e.cluster.URL(name), pgcluster.Exec(ctx, e.cluster.URL("postgres"), "CREATE DATABASE "+name+" TEMPLATE template0")
}

func (e *postgres) drop(ctx context.Context, _ string) error {
	return pgcluster.Exec(ctx, e.cluster.URL("postgres"), fmt.Sprintf("DROP DATABASE ativa_bench_%d WITH (FORCE)", e.made))
}

func (*postgres) script(ctx context.Context, dsn, statements string) (string, error) {
	return client(ctx, statements, "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", "-", dsn)
}

func (e *postgres) written(ctx context.Context, dsn string) (n float64, err error) {
	out, err := e.script(ctx, dsn, `SELECT pg_stat_clear_snapshot(); SELECT SUM(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables;`)
	if err == nil {
		_, err = fmt.Sscan(out, &n)
	}
	return n, err
}

// importFloor loads the spreadsheet into the tables that the service needs at
// least, without operations, history, authentication or search.
func (e *postgres) importFloor(ctx context.Context, dsn, csv string) (float64, error) {
	began := time.Now()
	_, err := e.script(ctx, dsn, fmt.Sprintf(`CREATE SCHEMA floor;
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
	return time.Since(began).Seconds(), err
}

func (*postgres) list() string {
	text := strings.NewReplacer("json_object(", "json_build_object(", "json_group_array(", "json_agg(").Replace((&sqlite{}).list())
	return "COPY (" + strings.TrimSuffix(text, ";") + ") TO STDOUT;"
}
