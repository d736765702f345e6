package store

import (
	"context"
	"slices"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/searchindex"
)

// copiedTables returns all tables in the order in which they are copied. Providers and their
// tokens come last, so that nobody can use an incomplete copy.
func copiedTables() []string {
	return []string{
		"internet_speed", "partner", "product", "product_grant", "callback", "brand", "feed_callback",
		"subscriber", "service", "operation", "event", "enabled_interval", "schedule", "job", "activation_link",
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
	if q.dialect().foldedColumn {
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
