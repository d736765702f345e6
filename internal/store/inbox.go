package store

import (
	"context"

	"ativa/internal/provision"
)

// AddReport implements provision.Inbox.
func (db *DB) AddReport(ctx context.Context, r provision.Report) (added bool, err error) {
	err = db.change(ctx, func(ctx context.Context, t *tx) error {
		n, err := t.run(ctx, `INSERT INTO report (partner_id, id, operation_id, kind, confirmed, reason, received_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, 0)
			ON CONFLICT DO NOTHING`, r.Partner, r.ID, r.Operation, r.Kind, r.Confirmed, r.Reason, micros(r.ReceivedAt))
		added = n == 1
		return err
	})
	return added, err
}

// PendingReports implements provision.Inbox.
func (db *DB) PendingReports(ctx context.Context, n int) ([]provision.Report, error) {
	return db.Reports(ctx, []provision.ReportState{provision.ReportStored}, n)
}

// Reports implements provision.Inbox.
func (db *DB) Reports(ctx context.Context, states []provision.ReportState, limit int) ([]provision.Report, error) {
	var c conditions
	addOneOf(&c, `state`, states)
	return list(ctx, db.read, func(of row, r *provision.Report) error {
		var received int64
		err := of.Scan(&r.Partner, &r.ID, &r.Operation, &r.Kind, &r.Confirmed, &r.Reason, &received, &r.State)
		r.ReceivedAt = fromMicros(received)
		return err
	}, `SELECT partner_id, id, operation_id, kind, confirmed, reason, received_at, state FROM report`+c.where()+` ORDER BY received_at LIMIT ?`, append(c.args, limitOf(limit))...)
}

// SetReportState implements provision.Inbox.
func (db *DB) SetReportState(ctx context.Context, p provision.PartnerID, id string, s provision.ReportState) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		return t.exec(ctx, `UPDATE report SET state = ? WHERE partner_id = ? AND id = ?`, s, p, id)
	})
}
