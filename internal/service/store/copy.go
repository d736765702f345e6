package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/searchindex"
)

// copyBatch is the number of rows written at a time.
const copyBatch = 2000

// ErrNotEmpty is returned by [Copy] if the target has rows.
var ErrNotEmpty = errors.New("the target is not empty")

// ErrSameDatabase is returned by [Copy] if source and target are the same file.
var ErrSameDatabase = errors.New("source and target are the same database")

// CopiedTable is a copied table and its number of rows, which is the same in both databases.
type CopiedTable struct {
	Name string
	Rows int
}

// copyTimeout is the limit for a copy into PostgreSQL.
const copyTimeout = 24 * time.Hour

// Copy copies a database into an empty one, of either engine, and compares the number of rows of
// each table. A SQLite source must not be in use by a server; a PostgreSQL source is copied in
// one snapshot while servers use it. The target gets all rows in one transaction: no server on it
// sees part of them, and an interrupted copy leaves none.
func Copy(ctx context.Context, from, to string) ([]CopiedTable, error) {
	path, _, err := parseDSN(from)
	if err != nil {
		return nil, err
	}
	if file, _ := os.Stat(path); isFile(to, file) {
		return nil, ErrSameDatabase
	}
	source, err := Open(ctx, from, Options{Exclusive: true, Schema: MigrateSchema}) // creates none for a mistyped name
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	defer source.Close()
	target, err := Open(ctx, to, Options{Exclusive: true})
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	defer target.Close()
	snapshot, release, err := source.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if q, ok := snapshot.(postgresQuerier); ok {
		q.timeout = 0 // a table may take longer
		snapshot = q
	}
	if pg, ok := target.engine.(*postgresPool); ok {
		pg.timeout = copyTimeout
		pg.begin = append(pg.begin, fmt.Sprintf(`SELECT set_config('statement_timeout', '%[1]d', TRUE), set_config('idle_in_transaction_session_timeout', '%[1]d', TRUE)`,
			copyTimeout.Milliseconds()))
	}
	var all []CopiedTable
	return all, target.write(ctx, func(_ context.Context, t *tx) (err error) { // ctx, too, so that its end ends the copy
		all, err = (&copier{from: snapshot, to: t, schema: target.read}).copyAll(ctx)
		return err
	})
}

// isFile reports whether dsn names the given file. file is nil if there is none.
func isFile(dsn string, file os.FileInfo) bool {
	path, _, err := parseDSN(dsn)
	if err != nil || file == nil {
		return false // opening the database reports the error
	}
	other, err := os.Stat(path)
	return err == nil && os.SameFile(file, other)
}

type copier struct {
	from, schema querier
	to           *tx
}

func (c *copier) copyAll(ctx context.Context) (all []CopiedTable, err error) {
	if err := c.empty(ctx); err != nil {
		return nil, err
	}
	for _, table := range copiedTables() {
		n, err := c.copyTable(ctx, table)
		if err != nil {
			return nil, err
		}
		all = append(all, CopiedTable{table, n})
	}
	return all, c.continueIDs(ctx)
}

// empty returns ErrNotEmpty if the target has rows, and deletes the rows that every new database
// has.
func (c *copier) empty(ctx context.Context) error {
	for _, table := range copiedTables() {
		query, args := `SELECT 1 FROM `+table, []any(nil)
		if table == "internet_speed" {
			query, args = query+` WHERE id > ?`, []any{domain.SpeedNotInformed}
		}
		if table == "operator_record" { // copies that broke off
			query += ` WHERE command <> 'admin copy' OR NOT failed`
		}
		if full, err := queryRow(ctx, c.to, query+` LIMIT 1`, args, new(int)); err != nil || full {
			return cmp.Or(err, ErrNotEmpty)
		}
	}
	return cmp.Or(c.to.exec(ctx, `DELETE FROM operator_record`), c.to.exec(ctx, `DELETE FROM internet_speed`))
}

// copyTable copies a table and returns its number of rows in both databases.
func (c *copier) copyTable(ctx context.Context, table string) (n int, err error) {
	columns, err := columnsOf(ctx, c.schema, table)
	if err != nil {
		return 0, err
	}
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.name
	}
	var rows [][]any
	err = c.from.query(ctx, `SELECT `+strings.Join(names, ", ")+` FROM `+table, nil, func(r row) error {
		row, err := scanValues(r, columns)
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
		n++
		if rows = append(rows, row); len(rows) < copyBatch {
			return nil
		}
		err = c.insertRows(ctx, table, names, rows)
		rows = nil
		return err
	})
	if err != nil {
		return 0, err
	}
	if err := c.insertRows(ctx, table, names, rows); err != nil {
		return 0, err
	}
	var copied int
	if _, err := queryRow(ctx, c.to, `SELECT COUNT(*) FROM `+table, nil, &copied); err != nil {
		return 0, err
	}
	if copied != n {
		return 0, fmt.Errorf("table %s differs: the source has %d rows, the target %d", table, n, copied)
	}
	return n, nil
}

func (c *copier) insertRows(ctx context.Context, table string, names []string, rows [][]any) error {
	columns := strings.Join(names, ", ")
	folded := c.to.dialect().isPostgres && table == "subscriber"
	if folded {
		columns += `, folded`
	}
	err := insert(ctx, c.to, table, columns, rows, func(all, row []any) []any {
		all = append(all, row...)
		if folded {
			all = append(all, foldedOf(names, row))
		}
		return all
	})
	return cmp.Or(err, c.to.flush(ctx))
}

// continueIDs makes new ids continue after the copied ones.
func (c *copier) continueIDs(ctx context.Context) error {
	if !c.to.dialect().isPostgres {
		return nil
	}
	for _, table := range []string{"provider", "access_token", "partner", "operator_record"} {
		_, err := queryRow(ctx, c.to, `SELECT setval(pg_get_serial_sequence(?, 'id'), (SELECT COALESCE(MAX(id), 0) + 1 FROM `+table+`), FALSE)`,
			[]any{table}, new(int))
		if err != nil {
			return err
		}
	}
	return nil
}

// copiedTables returns all tables.
func copiedTables() []string {
	return []string{
		"internet_speed", "partner", "product", "product_grant", "callback", "brand", "feed_callback",
		"subscriber", "service", "operation", "event", "enabled_interval", "schedule", "delivery", "activation_link",
		"idempotency_response", "partner_event", "operator_record", "refused_request",
		"provider", "access_token", "bearer_token",
	}
}

// copiedColumn is a column of a table to copy. Only PostgreSQL has booleans.
type copiedColumn struct {
	name      string
	isBoolean bool
}

// columnsOf returns the columns of a table but subscriber.folded, which SQLite does not have.
func columnsOf(ctx context.Context, q querier, table string) ([]copiedColumn, error) {
	query := `SELECT name, FALSE FROM pragma_table_info(?)`
	if q.dialect().isPostgres {
		query = `SELECT column_name::text, data_type = 'boolean'
			FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = ? AND column_name <> 'folded'`
	}
	return list(ctx, q, func(c *copiedColumn) []any { return []any{&c.name, &c.isBoolean} }, query, table)
}

// scanValues reads a row into values that the target accepts; NULL is nil.
func scanValues(r row, columns []copiedColumn) ([]any, error) {
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	err := r.Scan(targets...)
	for i, v := range values {
		values[i] = underlying(v)
		if n, isInt := values[i].(int64); isInt && columns[i].isBoolean {
			values[i] = n != 0
		}
	}
	return values, err
}

// foldedOf returns the searchable text of a row of subscribers.
func foldedOf(names []string, row []any) string {
	value := func(name string) any { return row[slices.Index(names, name)] }
	text := func(name string) string { s, _ := value(name).(string); return s }
	document, _ := value("document").(int64)
	return searchindex.Text(domain.Subscriber{Document: cpf.FromNumber(uint64(document)), Name: text("name"), Email: text("email"), Phone: text("phone")})
}
