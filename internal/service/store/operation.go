package store

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

// LateOperations implements rules.Store.
func (db *DB) LateOperations(ctx context.Context, now time.Time, n int, except []domain.ProviderID) ([]domain.Operation, error) {
	var c whereClause
	c.add(`o.deadline <= ?`, micros(now))
	addIn(&c, db.read.dialect(), `NOT o.id >> `+recordBits, except)
	return list(ctx, db.read, operationTargets,
		`SELECT `+operationColumns+` FROM operation o`+c.sql()+` ORDER BY o.deadline LIMIT ?`, append(c.args, n)...)
}

// SetActivationDeadlines implements rules.Store. It walks the services by their key and
// writes small parts.
func (db *DB) SetActivationDeadlines(ctx context.Context, ttl time.Duration) error {
	type activation struct{ operation, service, begun int64 }
	for last := int64(0); ; {
		all, err := list(ctx, db.read, func(a *activation) []any { return []any{&a.operation, &a.service, &a.begun} },
			`SELECT o.id, v.id, v.updated_at
			FROM service v
			JOIN operation o ON o.id = v.operation_id
			WHERE v.id > ? AND v.status_id = ? AND o.`+isWaiting+` AND o.deadline IS NULL
			ORDER BY v.id
			LIMIT ?`, last, domain.InProgress, purgeSize)
		if err != nil || len(all) == 0 {
			return err
		}
		last = all[len(all)-1].service
		err = db.write(ctx, func(ctx context.Context, t *tx) error {
			return update(ctx, t, `operation`, `deadline`, `state, id`, all, func(row []any, a activation) []any {
				return append(row, a.begun+ttl.Microseconds(), int64(domain.OperationWaiting), a.operation)
			})
		})
		if err != nil {
			return err
		}
	}
}

// ListOperations implements rules.Store.
func (db *DB) ListOperations(ctx context.Context, f domain.OperationFilter) ([]domain.OperationEntry, error) {
	var c whereClause
	addIn(&c, db.read.dialect(), `o.state`, f.States)
	addIn(&c, db.read.dialect(), `o.id`, f.IDs)
	if !f.CreatedBefore.IsZero() {
		c.add(`o.created_at < ?`, micros(f.CreatedBefore))
	}
	if f.HoldingSlot {
		c.add(`EXISTS (SELECT 1 FROM service v WHERE v.id = o.service_id AND v.operation_id = o.id AND v.status_id = ?)`, domain.InProgress)
	}
	return list(ctx, db.read, func(o *domain.OperationEntry) []any {
		return append(operationTargets(&o.Operation), &o.Provider, &o.PartnerName, asDocument(&o.Document))
	}, `SELECT `+operationColumns+`, p.name, COALESCE(a.name, ''), s.document FROM operation o JOIN provider p ON p.id = o.id >> `+recordBits+`
		LEFT JOIN partner a ON a.id = o.partner_id LEFT JOIN subscriber s ON s.id = o.service_id >> `+tokenBits+c.sql()+` ORDER BY o.created_at, o.id`, c.args...)
}

// PromotableProviders implements rules.Store.
func (db *DB) PromotableProviders(ctx context.Context) ([]domain.ProviderID, error) {
	return list(ctx, db.read, only[domain.ProviderID], `SELECT id FROM provider WHERE queued > 0 AND active_tokens < active_limit`)
}

// Stats counts the operator's metrics, using only indexes. Every kind of job has an entry.
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
	for _, kind := range []domain.JobKind{domain.EmailJob, domain.CallbackJob, domain.PartnerJob} {
		of := domain.OutboxStats{Kind: kind}
		_, err := queryRow(ctx, db.read, `SELECT COUNT(*), MIN(next_at), (SELECT COUNT(*) FROM job WHERE kind = ? AND `+isDead+`)
			FROM job
			WHERE kind = ? AND `+isOpen, []any{kind, kind}, &of.Open, asTime(&of.Oldest), &of.Dead)
		if err != nil {
			return f, err
		}
		f.Outbox = append(f.Outbox, of)
	}
	return f, nil
}
