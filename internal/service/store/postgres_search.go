package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/jackc/pgx/v5"

	"ativa/internal/service/domain"
)

// manyHits is the number of matches above which it is faster to count them in parallel and to read
// the page with a second query.
const manyHits = 20_000

func (pg *postgresPool) find(ctx context.Context, p domain.ProviderID, t domain.SearchTerm) (ids []domain.SubscriberID, err error) {
	from, args := matching(p, t)
	err = withSearchTimeout(ctx, func(ctx context.Context) error {
		ids, _, err = pg.idsAndTotal(ctx, `SELECT 0, id `+from+` ORDER BY id`, args)
		return err
	})
	return ids, err
}

func (pg *postgresPool) findPage(ctx context.Context, p domain.ProviderID, t domain.SearchTerm, offset, limit int) (ids []domain.SubscriberID, total int, err error) {
	err = withSearchTimeout(ctx, func(ctx context.Context) error {
		ids, total, err = pg.findMatches(ctx, p, t, offset, limit)
		return err
	})
	return ids, total, err
}

func (pg *postgresPool) findMatches(ctx context.Context, p domain.ProviderID, t domain.SearchTerm, offset, limit int) ([]domain.SubscriberID, int, error) {
	from, args := matching(p, t)
	ids, total, err := pg.idsAndTotal(ctx, `WITH hit AS MATERIALIZED (
			SELECT id `+from+` LIMIT ?
		)
		SELECT n.total, h.id
		FROM (SELECT COUNT(*) AS total FROM hit) n
		LEFT JOIN (SELECT id FROM hit ORDER BY id LIMIT ? OFFSET ?) h ON TRUE
		ORDER BY h.id`, append(args, manyHits+1, limit, offset))
	if err != nil || total <= manyHits {
		return ids, total, err
	}
	if _, total, err = pg.idsAndTotal(ctx, `SELECT COUNT(*), NULL::bigint `+from, args); err != nil {
		return nil, 0, err
	}
	ids, _, err = pg.idsAndTotal(ctx, `SELECT 0, id `+from+` ORDER BY id LIMIT ? OFFSET ?`, append(args, limit, offset))
	return ids, total, err
}

// idsAndTotal reads rows of a total and an id, which may be NULL. The query is planned anew for each term,
// because the best plan depends on the term.
func (pg *postgresPool) idsAndTotal(ctx context.Context, query string, args []any) (ids []domain.SubscriberID, total int, err error) {
	args = append([]any{pgx.QueryExecModeCacheDescribe}, args...)
	err = pg.readers().query(ctx, query, args, func(r row) error {
		var id sql.NullInt64
		err := r.Scan(&total, &id)
		if id.Valid {
			ids = append(ids, domain.SubscriberID(id.Int64))
		}
		return err
	})
	return ids, total, err
}

// indexedWords is how many words of a term, the longest ones, the trigram index is searched for.
// Each costs as much as a term of one word.
const indexedWords = 3

// matching returns the FROM and WHERE clauses of a search. The first conditions use the trigram
// index: a match contains the longest words anywhere, or the digits. The second conditions decide.
// There are as many for 32 words as for three.
func matching(p domain.ProviderID, t domain.SearchTerm) (from string, args []any) {
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

// containing returns the LIKE pattern that matches strings containing text.
func containing(text string) string { return "%" + escapeLike(text) + "%" }

func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}

// trigramsFrom is the number of subscribers of the largest provider from which the trigram index
// pays off. Without it a search reads all subscribers of the provider, 0.4 µs each; with it an
// import takes almost twice as long.
const trigramsFrom = 200_000

const trigramIndex = `subscriber_folded`

// maintain creates the trigram index once it pays off, while others keep reading and writing.
// Several servers may call it at once: one creates the index.
func (pg *postgresPool) maintain(ctx context.Context) error {
	var wanted, making bool
	var valid sql.NullBool
	err := pg.pool.QueryRow(ctx, `SELECT
			EXISTS (SELECT 1 FROM provider WHERE subscribers >= $1) AND EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'),
			(SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($2)),
			EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE relid = 'subscriber'::regclass)`,
		trigramsFrom, trigramIndex).Scan(&wanted, &valid, &making)
	if err != nil {
		return explain(pg.where, err)
	}
	if !wanted || making || valid.Valid && valid.Bool {
		return nil
	}
	if valid.Valid { // a server ended before the index was complete
		if _, err := pg.pool.Exec(ctx, `DROP INDEX CONCURRENTLY IF EXISTS `+trigramIndex); err != nil {
			return explain(pg.where, err)
		}
	}
	_, err = pg.pool.Exec(ctx, `CREATE INDEX CONCURRENTLY IF NOT EXISTS `+trigramIndex+` ON subscriber USING gin (folded gin_trgm_ops)`)
	if err != nil {
		return explain(pg.where, err)
	}
	// Without statistics the index would also be used for words that most subscribers have.
	_, err = pg.pool.Exec(ctx, `ANALYZE subscriber`)
	return explain(pg.where, err)
}
