package store

import (
	"context"
	"database/sql"

	"ativa/internal/provision"
)

// Figures counts, through indexes only, what the operator watches; every kind
// of job has its entry.
func (db *DB) Figures(ctx context.Context) (f provision.Figures, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT COALESCE(SUM(queued), 0), (SELECT COUNT(*) FROM operation WHERE deadline IS NOT NULL) FROM provider`).
		Scan(&f.Queued, &f.Operations)
	if err != nil {
		return f, err
	}
	for _, kind := range []provision.JobKind{provision.EmailJob, provision.CallbackJob, provision.PartnerJob} {
		of := provision.OutboxFigures{Kind: kind}
		var oldest sql.NullInt64
		err := db.read.QueryRowContext(ctx, `SELECT COUNT(*), MIN(next_at), (SELECT COUNT(*) FROM job WHERE kind = ? AND state = 3)
			FROM job
			WHERE kind = ? AND state < 2`, kind, kind).Scan(&of.Open, &oldest, &of.Dead)
		if err != nil {
			return f, err
		}
		of.Oldest = fromMicros(oldest.Int64)
		f.Outbox = append(f.Outbox, of)
	}
	return f, nil
}

// Waiting is how many writes wait for their turn.
func (db *DB) Waiting() int { return len(db.queue) }
