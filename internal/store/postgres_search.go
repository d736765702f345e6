package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/jackc/pgx/v5"

	"ativa/internal/provision"
)

// manyHits is the number of matches from which it is faster to count them, with
// several processes, and to read the page in a query of its own.
const manyHits = 20_000

func (pg *postgresPool) find(ctx context.Context, p provision.ProviderID, t provision.SearchTerm) (ids []provision.SubscriberID, err error) {
	from, args := matching(p, t)
	err = withTimeout(ctx, searchTimeout, func(ctx context.Context) error {
		ids, _, err = pg.page(ctx, `SELECT 0, id `+from+` ORDER BY id`, args)
		return err
	})
	return ids, err
}

func (pg *postgresPool) findPage(ctx context.Context, p provision.ProviderID, t provision.SearchTerm, offset, limit int) (ids []provision.SubscriberID, total int, err error) {
	err = withTimeout(ctx, searchTimeout, func(ctx context.Context) error {
		ids, total, err = pg.findSome(ctx, p, t, offset, limit)
		return err
	})
	return ids, total, err
}

func (pg *postgresPool) findSome(ctx context.Context, p provision.ProviderID, t provision.SearchTerm, offset, limit int) ([]provision.SubscriberID, int, error) {
	from, args := matching(p, t)
	ids, total, err := pg.page(ctx, `WITH hit AS MATERIALIZED (
			SELECT id `+from+` LIMIT ?
		)
		SELECT n.total, h.id
		FROM (SELECT COUNT(*) AS total FROM hit) n
		LEFT JOIN (SELECT id FROM hit ORDER BY id LIMIT ? OFFSET ?) h ON TRUE
		ORDER BY h.id`, append(args, manyHits+1, limit, offset))
	if err != nil || total <= manyHits {
		return ids, total, err
	}
	if _, total, err = pg.page(ctx, `SELECT COUNT(*), NULL::bigint `+from, args); err != nil {
		return nil, 0, err
	}
	ids, _, err = pg.page(ctx, `SELECT 0, id `+from+` ORDER BY id LIMIT ? OFFSET ?`, append(args, limit, offset))
	return ids, total, err
}

// page reads a total and ids, of which there may be none. The query is planned
// for each term anew: which way is best depends on the term.
func (pg *postgresPool) page(ctx context.Context, query string, args []any) (ids []provision.SubscriberID, total int, err error) {
	args = append([]any{pgx.QueryExecModeCacheDescribe}, args...)
	err = pg.readers().query(ctx, query, args, func(r row) error {
		var id sql.NullInt64
		err := r.Scan(&total, &id)
		if id.Valid {
			ids = append(ids, provision.SubscriberID(id.Int64))
		}
		return err
	})
	return ids, total, err
}

// indexedWords is how many words of a term, the longest, the trigram index looks
// for. Each costs as much as a term of one word.
const indexedWords = 3

// matching is where the subscribers are that match. The first conditions are
// those that trigrams speed up: a match has all words somewhere, or the digits.
// The second decide. There are as many for 32 words as for three.
func matching(p provision.ProviderID, t provision.SearchTerm) (from string, args []any) {
	first, last := p.Subscribers()
	args = []any{first, last}
	like := func(column, text string) string {
		args = append(args, containing(text))
		return column + ` LIKE ?`
	}
	var words []string
	for _, w := range t.Words[:min(len(t.Words), indexedWords)] {
		words = append(words, like(`folded`, w))
	}
	somewhere := strings.Join(words, ` AND `)
	if t.Digits != "" {
		somewhere += ` OR ` + like(`folded`, t.Digits)
	}
	from = `FROM subscriber WHERE id BETWEEN ? AND ? AND (` + somewhere + `)`
	if !t.MatchesAnyField() {
		patterns := make([]string, len(t.Words))
		for i, w := range t.Words {
			patterns[i] = containing(w)
		}
		args = append(args, patterns)
		one := []string{`split_part(folded, chr(1), 1) LIKE ALL (?::text[])`, like(`split_part(folded, chr(1), 2)`, t.Whole)}
		if t.Digits != "" {
			one = append(one, like(`split_part(folded, chr(1), 3)`, t.Digits), like(`split_part(folded, chr(1), 4)`, t.Digits))
		}
		from += ` AND (` + strings.Join(one, ` OR `) + `)`
	}
	return from, args[:len(args):len(args)]
}

// containing is the pattern of LIKE for what contains a text.
func containing(text string) string { return "%" + escapeLike(text) + "%" }

func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}

// trigramsFrom is the size of the largest provider, in subscribers, from which the
// trigram index pays. Without it a search reads all subscribers of the provider,
// 0.4 µs each; with it an import takes almost twice as long.
const trigramsFrom = 200_000

const trigramIndex = `subscriber_folded`

// maintain makes the index of trigrams once it pays, while others go on reading
// and writing. Servers that come together do no harm: one makes it. Of a partitioned
// table it can only be made while nobody writes, so there the operator makes it.
func (pg *postgresPool) maintain(ctx context.Context) error {
	var wanted, making bool
	var valid sql.NullBool
	err := pg.pool.QueryRow(ctx, `SELECT
			EXISTS (SELECT 1 FROM provider WHERE subscribers >= $1) AND EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm')
				AND EXISTS (SELECT 1 FROM pg_class WHERE oid = 'subscriber'::regclass AND relkind = 'r'),
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
		if _, err := pg.pool.Exec(ctx, `DROP INDEX CONCURRENTLY IF EXISTS `+trigramIndex); err != nil {
			return postgresError(err)
		}
	}
	_, err = pg.pool.Exec(ctx, `CREATE INDEX CONCURRENTLY IF NOT EXISTS `+trigramIndex+` ON subscriber USING gin (folded gin_trgm_ops)`)
	if err != nil {
		return postgresError(err)
	}
	// Without statistics the index would be used for what everybody has, too.
	_, err = pg.pool.Exec(ctx, `ANALYZE subscriber`)
	return postgresError(err)
}
