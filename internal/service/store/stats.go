package store

import (
	"context"

	"ativa/internal/service/domain"
)

// Stats counts the operator's metrics, using only indexes. Every kind of delivery has an entry.
func (db *DB) Stats(ctx context.Context) (f domain.Stats, err error) {
	_, err = queryRow(ctx, db.read, `SELECT COALESCE(SUM(queued), 0), (SELECT COUNT(*) FROM operation WHERE deadline IS NOT NULL AND kind <> ?)
		FROM provider`, []any{domain.Activation}, &f.Queued, &f.Operations)
	if err != nil {
		return f, err
	}
	_, err = queryRow(ctx, db.read, `SELECT COUNT(*), MIN(due_at) FROM schedule WHERE `+isWaiting, nil, &f.Schedules, asTime(&f.NextAt))
	if err != nil {
		return f, err
	}
	for _, kind := range []domain.DeliveryKind{domain.EmailDelivery, domain.CallbackDelivery, domain.PartnerDelivery} {
		of := domain.OutboxStats{Kind: kind}
		_, err := queryRow(ctx, db.read, `SELECT COUNT(*), MIN(next_at), (SELECT COUNT(*) FROM delivery WHERE kind = ? AND `+isDead+`)
			FROM delivery
			WHERE kind = ? AND `+isOpen, []any{kind, kind}, &of.Open, asTime(&of.Oldest), &of.Dead)
		if err != nil {
			return f, err
		}
		f.Outbox = append(f.Outbox, of)
	}
	return f, nil
}
