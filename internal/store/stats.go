package store

import (
	"context"
	"database/sql"

	"ativa/internal/provision"
)

// Stats counts, through indexes only, what the operator watches; every kind
// of job has its entry.
func (db *DB) Stats(ctx context.Context) (f provision.Stats, err error) {
	_, err = queryRow(ctx, db.read, `SELECT COALESCE(SUM(queued), 0), (SELECT COUNT(*) FROM operation WHERE deadline IS NOT NULL) FROM provider`,
		nil, scanInto(&f.Queued, &f.Operations))
	if err != nil {
		return f, err
	}
	for _, kind := range []provision.JobKind{provision.EmailJob, provision.CallbackJob, provision.PartnerJob} {
		of := provision.OutboxStats{Kind: kind}
		var oldest sql.NullInt64
		_, err := queryRow(ctx, db.read, `SELECT COUNT(*), MIN(next_at), (SELECT COUNT(*) FROM job WHERE kind = ? AND `+isDead+`)
			FROM job
			WHERE kind = ? AND `+isOpen, []any{kind, kind}, scanInto(&of.Open, &oldest, &of.Dead))
		if err != nil {
			return f, err
		}
		of.Oldest = fromMicros(oldest.Int64)
		f.Outbox = append(f.Outbox, of)
	}
	return f, nil
}

// WaitingWrites is how many writes wait for their turn.
func (db *DB) WaitingWrites() int { return db.waitingWrites() }
