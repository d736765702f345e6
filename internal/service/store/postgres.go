package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"ativa/internal/service/domain"
)

// postgresPool is the engine of a PostgreSQL database. It keeps no state in a
// connection: no setting, no lock and, behind a pooler, no prepared statement. So
// the pooler may be in transaction mode.
type postgresPool struct {
	where   string // for messages: hosts, ports and database
	pool    *pgxpool.Pool
	timeout time.Duration // of a transaction, or of a query outside of one
	begin   []string      // the statements that begin a transaction
	queries sync.Map      // statements with ?, to statements with $1
	writes  providerQueues
	sealer  sealer
}

const (
	postgresTimeout = 30 * time.Second
	postgresConnect = 5 * time.Second
	postgresConns   = 16
)

// openPostgres opens a database by its DSN and migrates it.
func openPostgres(ctx context.Context, dsn string, o Options) (*DB, error) {
	pg, err := connectPostgres(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if err := pg.migrate(ctx, o.Schema); err != nil {
		err = openError(pg.where, err)
		pg.pool.Close()
		return nil, err
	}
	pg.writes.commit, pg.writes.queues = pg.commit, map[domain.ProviderID]*writeQueue{}
	return &DB{engine: pg, read: pg.readers()}, nil
}

// connectPostgres changes nothing in the database. Besides libpq's parameters the DSN may contain
// pool_max_conns (16), pool_max_conn_lifetime (1h), pool_max_conn_idle_time (30m),
// statement_timeout (30s), connect_timeout (5, in seconds), default_query_exec_mode
// (cache_statement; behind a pooler cache_describe) and target_session_attrs (with several hosts
// read-write).
func connectPostgres(ctx context.Context, dsn string) (*postgresPool, error) {
	config, err := parsePostgres(dsn)
	if err != nil {
		return nil, err
	}
	pg := &postgresPool{where: strings.Join(hosts(config.ConnConfig), ",") + "/" + config.ConnConfig.Database}
	if pg.timeout, err = statementTimeout(config.ConnConfig); err != nil {
		return nil, fmt.Errorf("database %s: %w", pg.where, err)
	}
	applyDefaults(config, dsn)
	if err := pg.probe(ctx, config.ConnConfig, !strings.Contains(dsn, execMode)); err != nil {
		return nil, openError(pg.where, err)
	}
	config.MaxConns = max(config.MaxConns, 2) // a migration takes two
	config.ShouldPing, config.ConnConfig.OnNotice = pg.isDead, noteUnreplicated
	if pg.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, openError(pg.where, err)
	}
	return pg, nil
}

// parsePostgres parses a DSN. No error contains any part of it, because part of a password with an
// unescaped character is taken for something else.
func parsePostgres(dsn string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		text := err.Error() // cannot parse `URL`: what is wrong (with which part)
		reason, _, _ := strings.Cut(text[strings.LastIndex(text, "`: ")+3:], " (")
		if isKeywordDSN(dsn) {
			return nil, &domain.TextError{Detail: "database: the DSN does not have the form host=HOST dbname=NAME user=USER password='PASSWORD'"}
		}
		return nil, &domain.TextError{Detail: "database: the URL does not have the form postgres://USER:PASSWORD@HOST/NAME: %s", Args: []any{reason}}
	}
	for _, host := range hosts(config.ConnConfig) {
		if strings.ContainsAny(host, "@ ") {
			return nil, &domain.TextError{Detail: "database: the URL has a second @: in a password write %s for it", Args: []any{"%40"}}
		}
	}
	return config, nil
}

// hosts returns the servers that the DSN names, as HOST:PORT, each once.
func hosts(c *pgx.ConnConfig) []string {
	all := []string{fmt.Sprintf("%s:%d", c.Host, c.Port)}
	for _, f := range c.Fallbacks { // includes the same host without TLS
		all = append(all, fmt.Sprintf("%s:%d", f.Host, f.Port))
	}
	return slices.Compact(all)
}

// isDead tries a connection that was idle for a second before it is used. If it is dead, so are the
// others, and the pool is reset: a host that vanished closes no connection, and waiting for each
// would take minutes.
func (pg *postgresPool) isDead(ctx context.Context, p pgxpool.ShouldPingParams) bool {
	if p.IdleDuration < time.Second {
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, p.Conn.Config().ConnectTimeout)
	defer cancel()
	if p.Conn.Ping(bounded) != nil && ctx.Err() == nil {
		pg.pool.Reset()
	}
	return p.Conn.IsClosed() // the pool's own ping then fails at once, and it takes another
}

// applyDefaults sets the parameters that the DSN does not.
func applyDefaults(config *pgxpool.Config, dsn string) {
	c := config.ConnConfig
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = postgresConns
	}
	if !strings.Contains(dsn, "connect_timeout") {
		c.ConnectTimeout = postgresConnect
	}
	if len(hosts(c)) > 1 && !strings.Contains(dsn, "target_session_attrs") {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // not a standby
	}
	if _, named := c.RuntimeParams["application_name"]; !named {
		c.RuntimeParams["application_name"] = "ativa"
	}
}

// statementTimeout removes the time-out from the settings of a connection and returns it. A pooler
// refuses settings that it does not know, so each transaction sets it.
func statementTimeout(c *pgx.ConnConfig) (time.Duration, error) {
	const name = "statement_timeout"
	text, given := c.RuntimeParams[name]
	delete(c.RuntimeParams, name)
	if !given {
		return postgresTimeout, nil
	}
	if strings.Trim(text, "0123456789") == "" {
		text += "ms"
	}
	d, err := time.ParseDuration(strings.Replace(text, "min", "m", 1))
	if err != nil || d < time.Second {
		return 0, &domain.TextError{Detail: "%s=%s: want at least one second, such as 30s", Args: []any{name, text}}
	}
	return d, nil
}

// execMode is the DSN parameter that selects how statements are sent.
const execMode = "default_query_exec_mode"

// probe checks the encoding and the schema, and reads how the database commits. If the DSN does not select how
// statements are sent, it decides whether to prepare them, which halves the cost of a short one.
// Prepared statements belong to one connection of the server, so they cannot be used behind a
// pooler. A pooler reports another process number than the server.
func (pg *postgresPool) probe(ctx context.Context, c *pgx.ConnConfig, open bool) error {
	ctx, cancel := context.WithTimeout(ctx, pg.timeout)
	defer cancel()
	if open {
		c.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var encoding, synchronous string
	var first bool // the schema is the first of search_path: no other one is used instead
	var process uint32
	err = conn.QueryRow(ctx, `SELECT current_setting('server_encoding'),
		current_schema() IS NOT NULL AND lower(btrim(split_part(current_setting('search_path'), ',', 1), ' "')) IN ('$user', lower(current_schema())),
		current_setting('synchronous_commit'), pg_backend_pid()`).Scan(&encoding, &first, &synchronous, &process)
	if err != nil {
		return err
	}
	if open {
		c.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
		if process != conn.PgConn().PID() {
			c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
	}
	if encoding != "UTF8" {
		return &domain.TextError{Detail: "database %s: its encoding is %s, not UTF8: create it with ENCODING 'UTF8' TEMPLATE template0", Args: []any{pg.where, encoding}}
	}
	if !first {
		return &domain.TextError{Detail: "database %s: the first schema of its search_path does not exist or is not open to this user: create it, grant USAGE on it, or correct search_path", Args: []any{pg.where}}
	}
	// After waiting for a lock, a write must read what is committed by then, whatever the
	// database's own default.
	pg.begin = []string{`BEGIN ISOLATION LEVEL READ COMMITTED`, pg.settings(synchronous)}
	return nil
}

// settings returns the statement that sets what a transaction needs.
func (pg *postgresPool) settings(synchronous string) string {
	// Every look-up and every join has an index. Outdated statistics of growing tables must not make
	// the planner read whole tables, use bitmap scans or compile statements that take a millisecond.
	set := fmt.Sprintf(`SELECT set_config('statement_timeout', '%[1]d', TRUE),
		set_config('idle_in_transaction_session_timeout', '%[1]d', TRUE),
		set_config('enable_bitmapscan', 'off', TRUE),
		set_config('enable_hashjoin', 'off', TRUE),
		set_config('enable_mergejoin', 'off', TRUE),
		set_config('jit', 'off', TRUE)`, pg.timeout.Milliseconds())
	if synchronous == "off" { // acknowledged writes are durable
		set += `, set_config('synchronous_commit', 'on', TRUE)`
	}
	return set
}

// Ready also returns an error if PostgreSQL accepts no writes, because another server may be
// connected to one that does.
func (pg *postgresPool) Ready(ctx context.Context) error {
	var readOnly bool
	_, err := queryRow(ctx, pg.readers(), `SELECT current_setting('transaction_read_only') = 'on' FROM (SELECT COUNT(*) FROM internet_speed) AS read`, nil, &readOnly)
	if err == nil && readOnly {
		return unavailable("the database is read-only now", nil)
	}
	return err
}

func (pg *postgresPool) WaitingWrites() int { return pg.writes.count() }

func (pg *postgresPool) Close() error {
	pg.writes.close()
	pg.pool.Close()
	return nil
}
