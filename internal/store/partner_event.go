package store

import (
	"context"

	"ativa/internal/provision"
)

// AddPartnerEvent implements provision.PartnerEventStore.
func (db *DB) AddPartnerEvent(ctx context.Context, r provision.PartnerEvent) (added bool, err error) {
	err = db.write(ctx, func(ctx context.Context, t *tx) error {
		n, err := t.execRows(ctx, `INSERT INTO report (partner_id, id, operation_id, kind, confirmed, reason, received_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, 0)
			ON CONFLICT DO NOTHING`, r.Partner, r.ID, r.Operation, r.Kind, r.Confirmed, r.Reason, micros(r.ReceivedAt))
		added = n == 1
		return err
	})
	return added, err
}

// storedReports are those of [provision.PartnerEventStored] that were received after one:
// servers look for them every second, so they have an index of their own.
const storedReports = `state = 0 AND (received_at, partner_id, id) > (?, ?, ?)`

// PendingPartnerEvents implements provision.PartnerEventStore.
func (db *DB) PendingPartnerEvents(ctx context.Context, after provision.PartnerEvent, n int) ([]provision.PartnerEvent, error) {
	var c whereClause
	c.add(storedReports, micros(after.ReceivedAt), after.Partner, after.ID)
	return db.reports(ctx, c, n)
}

// PartnerEvents implements provision.Queries.
func (db *DB) PartnerEvents(ctx context.Context, states []provision.PartnerEventState) ([]provision.PartnerEvent, error) {
	var c whereClause
	addIn(&c, `state`, states)
	return db.reports(ctx, c, 0)
}

// reports lists up to limit reports in the order in which they were received; 0: all.
func (db *DB) reports(ctx context.Context, c whereClause, limit int) ([]provision.PartnerEvent, error) {
	return list(ctx, db.read, func(of row, r *provision.PartnerEvent) error {
		var received int64
		err := of.Scan(&r.Partner, &r.ID, &r.Operation, &r.Kind, &r.Confirmed, &r.Reason, &received, &r.State)
		r.ReceivedAt = fromMicros(received)
		return err
	}, reportsWhere(c), append(c.args, limitArg(limit))...)
}

func reportsWhere(c whereClause) string {
	return `SELECT partner_id, id, operation_id, kind, confirmed, reason, received_at, state FROM report` + c.sql() + ` ORDER BY received_at, partner_id, id LIMIT ?`
}

// SetPartnerEventState implements provision.PartnerEventStore.
func (db *DB) SetPartnerEventState(ctx context.Context, r provision.PartnerEvent, to provision.PartnerEventState) (set bool, err error) {
	err = db.write(ctx, func(ctx context.Context, t *tx) error {
		set, err = t.SetPartnerEventState(ctx, r, to)
		return err
	})
	return set, err
}

func (t *tx) SetPartnerEventState(ctx context.Context, r provision.PartnerEvent, to provision.PartnerEventState) (set bool, err error) {
	n, err := t.execRows(ctx, `UPDATE report SET state = ?, reason = ? WHERE partner_id = ? AND id = ? AND state = ?`, to, r.Reason, r.Partner, r.ID, r.State)
	return n == 1, err
}
