package store

import (
	"context"
	"database/sql"
	"time"

	"ativa/internal/provision"
)

// Backlogs implements provision.Outbox.
func (db *DB) Backlogs(ctx context.Context, now time.Time) ([]provision.Backlog, error) {
	at := micros(now)
	return list(ctx, db.read, func(r *sql.Rows, b *provision.Backlog) error {
		var oldest, since int64
		err := r.Scan(&b.Kind, &b.Open, &oldest, &b.Due, &since)
		b.Oldest, b.Since = fromMicros(oldest), fromMicros(since)
		return err
	}, `SELECT j.kind, COUNT(*), MIN(j.created_at), COUNT(CASE WHEN j.next_at <= ? THEN 1 END),
			COALESCE(MIN(CASE WHEN j.next_at > ? THEN NULL WHEN j.next_at < j.created_at THEN j.created_at ELSE j.next_at END), 0)
		FROM job j WHERE j.state < 2 GROUP BY j.kind ORDER BY j.kind`, at, at)
}
