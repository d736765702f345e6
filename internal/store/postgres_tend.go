package store

import (
	"context"
	"database/sql"
)

// trigramsFrom is how many subscribers the largest provider has when an index
// of trigrams is worth its price: a search without it reads the provider's
// subscribers, in some 0.4 µs each; with it an import takes almost twice as long.
const trigramsFrom = 200_000

const trigramIndex = `subscriber_folded`

// maintain makes the index of trigrams once it pays, while others go on reading
// and writing. Servers that come together do no harm: one makes it.
func (pg *postgresPool) maintain(ctx context.Context) error {
	var wanted, making bool
	var valid sql.NullBool
	err := pg.db.QueryRowContext(ctx, `SELECT
			EXISTS (SELECT 1 FROM provider WHERE subscribers >= $1) AND EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'),
			(SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($2)),
			EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE relid = 'subscriber'::regclass)`,
		trigramsFrom, trigramIndex).Scan(&wanted, &valid, &making)
	if err != nil {
		return postgresError(err)
	}
	if !wanted || making || valid.Valid && valid.Bool {
		return nil
	}
	if valid.Valid { // a server ended before it was done
		if _, err := pg.db.ExecContext(ctx, `DROP INDEX CONCURRENTLY IF EXISTS `+trigramIndex); err != nil {
			return postgresError(err)
		}
	}
	_, err = pg.db.ExecContext(ctx, `CREATE INDEX CONCURRENTLY IF NOT EXISTS `+trigramIndex+` ON subscriber USING gin (folded gin_trgm_ops)`)
	if err != nil {
		return postgresError(err)
	}
	// Without statistics the index would be used for what everybody has, too.
	_, err = pg.db.ExecContext(ctx, `ANALYZE subscriber`)
	return postgresError(err)
}
