//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ativa/internal/bench/figures"
	"ativa/internal/store/pgcluster"
)

// postgres is a PostgreSQL on which databases may be created. Its floor is
// psql: \copy of the spreadsheet and INSERT … SELECT.
type postgres struct {
	url     string             // of the database that commands about databases go to
	private *pgcluster.Cluster // lives as long as it is referred to; nil: one that was given
	head    int                // the process that started all others of the server; 0: not on this machine
	made    int
}

// settings of the private cluster: durable, and with the memory that a small
// server of its own would give it.
var settings = []string{"shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min", "maintenance_work_mem=256MB"}

// openPostgres starts a private cluster, or takes that of the URL.
func openPostgres(ctx context.Context, given string) (*postgres, error) {
	e := &postgres{url: given}
	if given == "" {
		var err error
		if e.private, err = pgcluster.Start(settings...); err != nil {
			return nil, err
		}
		e.url = e.private.URL("postgres")
	}
	if _, err := exec.LookPath("psql"); err != nil {
		return nil, fmt.Errorf("psql (Debian package postgresql-client): %w", err)
	}
	pid, err := value[int](ctx, e.url, `SELECT pg_backend_pid()`, func(pid int) int {
		backend, _ := readProcess(pid) // while its connection lasts
		return backend.parent
	})
	if err != nil {
		return nil, err
	}
	if p, ok := readProcess(pid); ok && strings.HasPrefix(p.name, "postgres") {
		e.head = pid
	}
	return e, nil
}

func (*postgres) name() string         { return figures.PostgreSQL }
func (*postgres) servers() int         { return 2 }
func (e *postgres) cpu() time.Duration { return familyCPU(e.head) }

// close drops what is left. A private cluster ends with this process.
func (e *postgres) close(ctx context.Context) error { return e.drop(ctx, e.database(floorName)) }

const floorName = "ativa_bench_floor"

func (e *postgres) database(name string) string {
	u, err := url.Parse(e.url)
	if err != nil { // it was connected to
		return e.url
	}
	u.Path = "/" + name
	return u.String()
}

func (*postgres) floor() scripts { return scripts{postgresLoad, postgresList, postgresSuspend} }

func (e *postgres) empty(ctx context.Context) error { return e.create(ctx, floorName) }

// timed runs a script in psql; what it prints is thrown away.
func (e *postgres) timed(ctx context.Context, script string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", e.database(floorName))
	cmd.Stdin = strings.NewReader(script)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("psql: %w: %s", err, errs.Bytes())
	}
	return time.Since(began), nil
}

func (e *postgres) fresh(ctx context.Context) (string, error) {
	e.made++
	name := fmt.Sprintf("ativa_bench_%d", e.made)
	dsn := e.database(name)
	return dsn, e.create(ctx, name)
}

// create makes an empty database. What came before is written out first, so
// that nobody pays for another's; only a private cluster lets us.
func (e *postgres) create(ctx context.Context, name string) error {
	if err := e.drop(ctx, e.database(name)); err != nil {
		return err
	}
	if e.private != nil {
		if err := pgcluster.Exec(ctx, e.url, `CHECKPOINT`); err != nil {
			return err
		}
	}
	return pgcluster.Exec(ctx, e.url, `CREATE DATABASE `+name+` ENCODING 'UTF8' TEMPLATE template0`)
}

func (e *postgres) drop(ctx context.Context, dsn string) error {
	u, err := url.Parse(dsn)
	if err != nil {
		return err
	}
	return pgcluster.Exec(ctx, e.url, `DROP DATABASE IF EXISTS `+strings.TrimPrefix(u.Path, "/")+` WITH (FORCE)`)
}

func (*postgres) exec(ctx context.Context, dsn, statement string) error {
	return pgcluster.Exec(ctx, dsn, statement)
}

func (*postgres) tidy(ctx context.Context, dsn string) error {
	return pgcluster.Exec(ctx, dsn, `VACUUM ANALYZE`)
}

func (*postgres) size(ctx context.Context, dsn string) (int64, error) {
	return value(ctx, dsn, `SELECT pg_database_size(current_database())`, func(n int64) int64 { return n })
}

// value reads the one value of a query; the connection lasts as long as use.
func value[T any](ctx context.Context, url, query string, use func(T) T) (v T, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return v, err
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, query).Scan(&v); err != nil {
		return v, err
	}
	return use(v), nil
}

// postgresLoad is sqliteLoad for psql.
const postgresLoad = `
CREATE TABLE subscriber(id BIGINT PRIMARY KEY, provider_id INT NOT NULL, document TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
	phone TEXT NOT NULL, internet_speed_id INT NOT NULL, customer_plan TEXT NOT NULL, created_at TIMESTAMPTZ NOT NULL);
CREATE UNIQUE INDEX subscriber_doc ON subscriber(provider_id, document);
CREATE TABLE service(subscriber_id BIGINT NOT NULL, product_id INT NOT NULL, status_id INT NOT NULL, token BYTEA NOT NULL,
	created_at TIMESTAMPTZ NOT NULL, updated_at TIMESTAMPTZ NOT NULL, PRIMARY KEY(subscriber_id, product_id));
CREATE TABLE outbox(id BIGSERIAL PRIMARY KEY, kind INT NOT NULL, subscriber_id BIGINT NOT NULL, product_id INT NOT NULL,
	attempt INT NOT NULL, run_at TIMESTAMPTZ NOT NULL);
CREATE INDEX outbox_run ON outbox(run_at);
CREATE TEMP TABLE st(id BIGSERIAL, name TEXT, email TEXT, document TEXT, phone TEXT, internet_speed_id INT, customer_plan TEXT, products_ids TEXT);
\copy st(name,email,document,phone,internet_speed_id,customer_plan,products_ids) FROM '%s' CSV HEADER
BEGIN;
INSERT INTO subscriber SELECT id,1,document,name,email,phone,internet_speed_id,customer_plan,now() FROM st ON CONFLICT DO NOTHING;
INSERT INTO service SELECT st.id, p::int, 10, gen_random_uuid()::text::bytea, now(), now()
	FROM st, unnest(string_to_array(products_ids,';')) p;
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at) SELECT 1, subscriber_id, product_id, 0, created_at FROM service;
COMMIT;
`

const postgresList = `COPY (
	SELECT json_build_object('name', s.name, 'email', s.email, 'document', s.document, 'phone', s.phone, 'internet_speed_id', s.internet_speed_id,
		'customer_plan', s.customer_plan, 'created_at', s.created_at,
		'services', (SELECT json_agg(json_build_object('content_supplier_product_id', v.product_id, 'status_id', v.status_id,
			'token_created_at', v.created_at, 'status_updated_at', v.updated_at)) FROM service v WHERE v.subscriber_id = s.id))
	FROM subscriber s
	ORDER BY s.id
) TO STDOUT;
`

const postgresSuspend = `
CREATE TEMP TABLE d(document TEXT);
\copy d FROM '%s'
BEGIN;
UPDATE service SET status_id=14, updated_at=now() WHERE product_id=1
	AND subscriber_id IN (SELECT id FROM subscriber WHERE provider_id=1 AND document IN (SELECT document FROM d));
INSERT INTO outbox(kind,subscriber_id,product_id,attempt,run_at)
	SELECT 3, id, 1, 0, now() FROM subscriber WHERE provider_id=1 AND document IN (SELECT document FROM d);
COMMIT;
`
