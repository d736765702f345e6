package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/jackc/pgx/v5"

	"ativa/internal/provision"
)

// find implements engine. The first conditions are those that trigrams speed
// up: a match has one of the needles somewhere. The second decide.
func (pg *postgresPool) find(ctx context.Context, p provision.ProviderID, t provision.Term, offset, limit int) ([]provision.SubscriberID, int, error) {
	first, last := p.Subscribers()
	args := []any{first, last}
	like := func(column, text string) string {
		args = append(args, "%"+escapeLike(text)+"%")
		return column + ` LIKE ?`
	}
	var somewhere, words []string
	for _, n := range needles(longest(t.Words), t) {
		somewhere = append(somewhere, like(`folded`, n))
	}
	for _, w := range t.Words {
		words = append(words, like(`split_part(folded, chr(1), 1)`, w))
	}
	exact := []string{`(` + strings.Join(words, ` AND `) + `)`, like(`split_part(folded, chr(1), 2)`, t.Whole)}
	if t.Digits != "" {
		exact = append(exact, like(`split_part(folded, chr(1), 3)`, t.Digits), like(`split_part(folded, chr(1), 4)`, t.Digits))
	}
	query := `WITH hit AS MATERIALIZED (
			SELECT id
			FROM subscriber
			WHERE id BETWEEN ? AND ? AND (` + strings.Join(somewhere, ` OR `) + `) AND (` + strings.Join(exact, ` OR `) + `)
		)
		SELECT n.total, h.id
		FROM (SELECT COUNT(*) AS total FROM hit) n
		LEFT JOIN (SELECT id FROM hit ORDER BY id LIMIT ? OFFSET ?) h ON TRUE
		ORDER BY h.id`
	var ids []provision.SubscriberID
	var total int
	// It is planned for each term anew: which way is best depends on the term.
	args = append([]any{pgx.QueryExecModeCacheDescribe}, append(args, limitOf(limit), offset)...)
	err := postgresReaders{postgresSession{pg, pg.db}}.query(ctx, query, args, func(rows row) error {
		var id sql.NullInt64
		err := rows.Scan(&total, &id)
		if id.Valid {
			ids = append(ids, provision.SubscriberID(id.Int64))
		}
		return err
	})
	return ids, total, err
}

// escapeLike takes their meaning from the wildcards of LIKE.
func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}
