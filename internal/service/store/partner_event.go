package store

import (
	"context"

	"ativa/internal/service/domain"
)

// AddPartnerEvent implements rules.Store.
func (db *DB) AddPartnerEvent(ctx context.Context, e domain.PartnerEvent) (added bool, err error) {
	err = db.write(ctx, func(ctx context.Context, t *tx) error {
		added, err = t.AddPartnerEvent(ctx, e)
		return err
	})
	return added, err
}

func (t *tx) AddPartnerEvent(ctx context.Context, e domain.PartnerEvent) (added bool, err error) {
	n, err := t.execRows(ctx, `INSERT INTO partner_event (partner_id, id, operation_id, kind, confirmed, reason, received_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, e.Partner, e.ID, e.Operation, e.Kind, e.Confirmed, e.Reason, micros(e.ReceivedAt), e.State)
	return n == 1, err
}

// PartnerEvents implements rules.Store.
func (db *DB) PartnerEvents(ctx context.Context, states []domain.PartnerEventState) ([]domain.PartnerEvent, error) {
	var c whereClause
	addIn(&c, db.read.dialect(), `state`, states)
	return list(ctx, db.read, func(e *domain.PartnerEvent) []any {
		return []any{&e.Partner, &e.ID, &e.Operation, &e.Kind, &e.Confirmed, &e.Reason, asTime(&e.ReceivedAt), &e.State}
	}, `SELECT partner_id, id, operation_id, kind, confirmed, reason, received_at, state FROM partner_event`+c.sql()+` ORDER BY received_at, partner_id, id`, c.args...)
}

func (t *tx) SetPartnerEventState(ctx context.Context, r domain.PartnerEvent, to domain.PartnerEventState) (set bool, err error) {
	n, err := t.execRows(ctx, `UPDATE partner_event SET state = ?, reason = ? WHERE partner_id = ? AND id = ? AND state = ?`, to, r.Reason, r.Partner, r.ID, r.State)
	return n == 1, err
}
