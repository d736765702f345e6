package store

import (
	"context"
	"maps"
	"time"

	"ativa/internal/service/domain"
)

const operationColumns = `o.id, o.service_id, o.kind, o.state, o.product_id, o.partner_id, o.created_at, o.attempts, o.deadline, o.reason`

func operationTargets(o *domain.Operation) []any {
	return []any{&o.ID, &o.Service, &o.Kind, &o.State, &o.ProductID, &o.Partner, asTime(&o.CreatedAt), &o.Attempts, asTime(&o.Deadline), &o.Reason}
}

func (t *tx) Operations(ctx context.Context, ids []domain.OperationID) (map[domain.OperationID]domain.Operation, error) {
	found, err := mapByKeys(ctx, t, func(o *domain.Operation) []any { return append(operationTargets(o), &o.RequestsActivation) }, `SELECT `+operationColumns+`, COALESCE(a.driver = 'http', FALSE)
		FROM operation o LEFT JOIN partner a ON a.id = o.partner_id
		WHERE o.id %s`, ids, func(o *domain.Operation) domain.OperationID { return o.ID })
	maps.DeleteFunc(found, func(id domain.OperationID, _ domain.Operation) bool { return id.Provider() != t.provider.ID })
	return found, err
}

func (t *tx) insertOperations(ctx context.Context, all []domain.Operation) error {
	return insert(ctx, t, `operation`, `id, service_id, kind, state, product_id, partner_id, created_at, attempts, deadline, reason`, all,
		func(row []any, o domain.Operation) []any {
			return append(row, int64(o.ID), int64(o.Service), int64(o.Kind), int64(o.State), int64(o.ProductID), int64(o.Partner), micros(o.CreatedAt),
				int64(o.Attempts), nullIfZero(micros(o.Deadline)), o.Reason)
		})
}

func (t *tx) updateOperations(ctx context.Context, all []domain.OperationChange) error {
	return update(ctx, t, `UPDATE operation SET state = ?, deadline = ?, reason = ?, attempts = attempts + ? WHERE id = ?`, all, func(row []any, o domain.OperationChange) []any {
		return append(row, int64(o.State), nullIfZero(micros(o.Deadline)), o.Reason, int64(o.AddAttempts), int64(o.ID))
	})
}

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
			return update(ctx, t, `UPDATE operation SET deadline = ? WHERE state = ? AND id = ?`, all, func(row []any, a activation) []any {
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
