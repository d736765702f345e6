package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ativa/internal/cpf"
	"ativa/internal/service/rules"
	"ativa/internal/service/store/searchindex"
)

// copiedTable is a table to copy: its columns, each with its kind.
type copiedTable struct {
	name    string
	columns string // "name kind, …"; kinds are int, bool, real, text and blob
}

// copiedTables returns all tables in the order in which they are copied. Providers and their
// tokens come last, so that nobody can use an incomplete copy.
func copiedTables() []copiedTable {
	return []copiedTable{
		{"internet_speed", `id int, speed text, slug text`},
		{"partner", `id int, name text, driver text, url text, delay int, failure_rate real, secret blob, created_at int`},
		{"product", `id int, name text, code text, family text, active bool, can int, partner_id int, instructions text, help_url text`},
		{"product_grant", `provider_id int, product_id int, granted bool`},
		{"callback", `provider_id int, url text, secret blob, allow_private bool, enabled bool, failures int`},
		{"brand", `provider_id int, display_name text, logo blob, color text, phone text`},
		{"feed_callback", `provider_id int, url text, secret blob, allow_private bool, enabled bool, failures int, generation int, cursor int, batch_end int,
			next_attempt_at int, leased_until int, last_error text`},
		{"subscriber", `id int, provider_id int, document int, name text, email text, phone text, internet_speed_id int, customer_plan text, created_at int`},
		{"service", `id int, product_id int, status_id int, created_at int, updated_at int, operation_id int, operation_kind int,
			last_stable_status_id int, previous_product_id int, deferred_trigger int, email_number int`},
		{"operation", `id int, service_id int, kind int, state int, product_id int, partner_id int, created_at int, attempts int, deadline int, reason text`},
		{"event", `id int, at int, type int, subscriber_id int, service_id int, product_id int, previous_status_id int, status_id int, trigger text, actor text,
			reason text, operation_id int, token_id int, previous_product_id int, about_token_id int`},
		{"enabled_interval", `service_id int, begin_event int, product_id int, begin_at int, end_event int, end_at int`},
		{"schedule", `id int, service_id int, product_id int, operation int, due_at int, state int, token_id int, created_at int, ended_at int, code text`},
		{"job", `id int, kind int, destination int, service_id int, operation_id int, sequence int, state int, attempts int, created_at int, next_at int, last_error text,
			attempted_at int, opened_at int, urgent bool, refused_since int`},
		{"activation_link", `hash blob, job_id int, service_id int, email_number int, expires_at int, used_at int`},
		{"idempotency_response", `provider_id int, key blob, fingerprint blob, response blob, created_at int, subscriber_id int`},
		{"partner_event", `partner_id int, id text, operation_id int, kind text, confirmed bool, reason text, received_at int, state int`},
		{"operator_record", `id int, at int, os_user text, host text, command text, arguments text, failed bool`},
		{"refused_request", `hour int, address text, request text, count int`},
		{"provider", `id int, name text, active_limit int, disabled bool, all_products bool, created_at int, active_tokens int, queued int, last_subscriber int,
			last_operation int, last_event int, last_job int, last_schedule int, subscribers int`},
		{"access_token", `id int, provider_id int, hash blob, created_at int, revoked_at int, name text, scopes int, expires_at int, last_used_at int,
			generation int, previous_hash blob, previous_ends_at int`},
		{"bearer_token", `hash blob, access_token_id int, provider_id int, expires_at int, generation int`},
	}
}

func (c copiedTable) fields() (names, kinds []string) {
	for column := range strings.SplitSeq(c.columns, ",") {
		f := strings.Fields(column)
		names, kinds = append(names, f[0]), append(kinds, f[1])
	}
	return names, kinds
}

func (c copiedTable) names() string {
	names, _ := c.fields()
	return strings.Join(names, ", ")
}

// scanner returns a function that reads a row into values that are the same for both engines; NULL
// is nil.
func (c copiedTable) scanner() func(row) ([]any, error) {
	_, kinds := c.fields()
	return func(r row) ([]any, error) {
		targets := make([]any, len(kinds))
		for i, kind := range kinds {
			targets[i] = targetOf(kind)
		}
		if err := r.Scan(targets...); err != nil {
			return nil, fmt.Errorf("table %s: %w", c.name, err)
		}
		values := make([]any, len(targets))
		for i, t := range targets {
			values[i] = valueOf(t)
		}
		return values, nil
	}
}

func targetOf(kind string) any {
	switch kind {
	case "bool":
		return new(bool)
	case "real":
		return new(float64)
	case "text":
		return new(string)
	case "blob":
		return new([]byte)
	}
	return new(sql.NullInt64)
}

func valueOf(target any) any {
	switch t := target.(type) {
	case *bool:
		return *t
	case *float64:
		return *t
	case *string:
		return cleanText(*t)
	case *[]byte:
		return append([]byte{}, *t...)
	case *sql.NullInt64:
		if t.Valid {
			return t.Int64
		}
	}
	return nil
}

// foldedOf returns the searchable text of a row of subscribers.
func foldedOf(row []any) string {
	text := func(i int) string { s, _ := row[i].(string); return s }
	document, _ := row[2].(int64)
	return searchindex.Text(rules.Subscriber{Document: cpf.FromNumber(uint64(document)), Name: text(3), Email: text(4), Phone: text(5)})
}

// snapshot implements engine. An exclusive snapshot needs no lock, because the file is open
// exclusively.
func (db *sqliteFile) snapshot(ctx context.Context, _ bool) (querier, func(), error) {
	s, release, err := db.readers.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.execRows(ctx, `BEGIN`); err != nil {
		release()
		return nil, nil, err
	}
	return s, release, nil
}

// snapshot implements engine.
func (pg *postgresPool) snapshot(ctx context.Context, exclusive bool) (querier, func(), error) {
	release := func(tx pgx.Tx) func() { return func() { _ = tx.Rollback(context.WithoutCancel(ctx)) } } // read-only, so the error does not matter
	if !exclusive {
		bounded, cancel := context.WithTimeout(ctx, pg.timeout)
		defer cancel()
		tx, err := pg.pool.BeginTx(bounded, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead})
		if err != nil {
			return nil, nil, postgresError(err)
		}
		return postgresReaders{postgresQuerier{pg, tx}}, release(tx), nil
	}
	for try := 0; ; try++ {
		tx, err := pg.lockTables(ctx)
		if err == nil {
			return postgresQuerier{pg, tx}, release(tx), nil
		}
		if try == maxTries || !retryable(err) || !backOff(ctx, try) {
			return nil, nil, postgresError(err)
		}
	}
}

// lockTables begins a snapshot for which writers wait: those of a provider before they have
// changed anything, because they begin by locking its row; the others because they write to one
// table only.
func (pg *postgresPool) lockTables(ctx context.Context) (pgx.Tx, error) {
	tx, err := pg.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, table := range copiedTables() {
		names = append(names, table.name)
	}
	for _, lock := range []string{`LOCK TABLE provider IN EXCLUSIVE MODE`, `LOCK TABLE ` + strings.Join(names, `, `) + ` IN SHARE MODE`} {
		if _, err := tx.Exec(ctx, lock); err != nil {
			return nil, errors.Join(err, tx.Rollback(ctx))
		}
	}
	return tx, nil
}
