package store

import (
	"context"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

const deliveryColumns = `j.id, j.kind, j.destination, j.service_id, j.operation_id, j.sequence, j.state, j.attempts, j.created_at, j.next_at, j.next_at, j.last_error, j.attempted_at, j.opened_at, j.urgent, j.refused_since`

func deliveryTargets(j *domain.Delivery) []any {
	return []any{&j.ID, &j.Kind, &j.Destination, &j.Service, &j.Operation, &j.Sequence, &j.State, &j.Attempts, asTime(&j.CreatedAt), asTime(&j.NextAt), asTime(&j.ReadNextAt),
		&j.LastError, asTime(&j.LastAttemptAt), asTime(&j.OpenedAt), &j.Urgent, asTime(&j.RefusedSince)}
}

func (t *tx) insertDeliveries(ctx context.Context, all []domain.Delivery) error {
	return insert(ctx, t, `delivery`, `id, kind, destination, service_id, operation_id, sequence, state, attempts, created_at, next_at, last_error, urgent`, all,
		func(row []any, j domain.Delivery) []any {
			return append(row, int64(j.ID), int64(j.Kind), j.Destination, int64(j.Service), int64(j.Operation), int64(j.Sequence), int64(j.State), int64(j.Attempts),
				micros(j.CreatedAt), micros(j.NextAt), j.LastError, j.Urgent)
		})
}

// DueDestinations implements outbox.QueueStore. It walks the index delivery_open, one look-up per
// destination however many deliveries wait.
func (db *DB) DueDestinations(ctx context.Context, kind domain.DeliveryKind, now time.Time) ([]int64, error) {
	return list(ctx, db.read, only[int64], dueDestinations, kind, kind, kind, micros(now))
}

const dueDestinations = `WITH RECURSIVE d(id) AS (
		SELECT MIN(destination) FROM delivery WHERE ` + isOpen + ` AND kind = ?
		UNION ALL
		SELECT (SELECT MIN(j.destination) FROM delivery j WHERE j.` + isOpen + ` AND j.kind = ? AND j.destination > d.id) FROM d WHERE d.id IS NOT NULL
	)
	SELECT d.id FROM d
	WHERE d.id IS NOT NULL AND (SELECT MIN(j.next_at) FROM delivery j WHERE j.` + isOpen + ` AND j.kind = ? AND j.destination = d.id) <= ?`

// ClaimDeliveries implements outbox.QueueStore.
func (db *DB) ClaimDeliveries(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Delivery, error) {
	var claimed []domain.Delivery
	err := db.write(ctx, func(ctx context.Context, t *tx) error {
		var deliveries []domain.Delivery
		for _, urgency := range []string{`j.urgent`, `NOT j.urgent`} {
			more, err := list(ctx, t, deliveryTargets, claimableDeliveries(urgency)+t.dialect().skipLocked, to.Kind, to.ID, micros(due), n-len(deliveries))
			if err != nil {
				return err
			}
			if deliveries = append(deliveries, more...); len(deliveries) == n {
				break
			}
		}
		for i := range deliveries {
			deliveries[i].State, deliveries[i].NextAt, deliveries[i].ReadNextAt = domain.OutboxLeased, until, until
		}
		claimed = deliveries
		return update(ctx, t, `UPDATE delivery SET state = ?, next_at = ? WHERE service_id = ? AND id = ?`, claimed, func(row []any, j domain.Delivery) []any {
			return append(row, int64(j.State), micros(j.NextAt), int64(j.Service), int64(j.ID))
		})
	})
	return claimed, err
}

// claimableDeliveries returns the query of due deliveries, which walks the index delivery_urgent or delivery_open.
func claimableDeliveries(urgency string) string {
	return `SELECT ` + deliveryColumns + ` FROM delivery j WHERE j.` + isOpen + ` AND ` + urgency + ` AND j.kind = ? AND j.destination = ? AND j.next_at <= ? ORDER BY j.next_at, j.service_id, j.id LIMIT ?`
}

// FinishDeliveries implements outbox.QueueStore.
func (db *DB) FinishDeliveries(ctx context.Context, deliveries []domain.Delivery, links []domain.Link) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		if err := t.finishDeliveries(ctx, deliveries); err != nil {
			return err
		}
		return insert(ctx, t, `activation_link`, `hash, delivery_id, service_id, email_number, expires_at`, links, func(row []any, l domain.Link) []any {
			return append(row, l.Hash[:], int64(l.Delivery), int64(l.Service), int64(l.EmailNumber), micros(l.ExpiresAt))
		})
	})
}

func (t *tx) finishDeliveries(ctx context.Context, deliveries []domain.Delivery) error {
	return update(ctx, t, `UPDATE delivery SET state = ?, attempts = ?, next_at = ?, last_error = ?, attempted_at = ?, refused_since = ? WHERE next_at = ? AND service_id = ? AND id = ?`, deliveries, func(row []any, j domain.Delivery) []any {
		return append(row, int64(j.State), int64(j.Attempts), micros(j.NextAt), j.LastError, micros(j.LastAttemptAt), micros(j.RefusedSince),
			micros(j.ReadNextAt), int64(j.Service), int64(j.ID))
	})
}

func (t *tx) HeldDeliveries(ctx context.Context, deliveries []domain.Delivery) (map[domain.DeliveryID]bool, error) {
	services, leases := make([]domain.ServiceID, len(deliveries)), make(map[domain.DeliveryID]int64, len(deliveries))
	for i, j := range deliveries {
		services[i], leases[j.ID] = j.Service, micros(j.ReadNextAt)
	}
	open, err := listByKeys(ctx, t, func(j *domain.Delivery) []any { return []any{&j.ID, asTime(&j.NextAt)} },
		`SELECT id, next_at FROM delivery WHERE service_id %s AND `+isOpen+t.dialect().skipLocked, services)
	held := map[domain.DeliveryID]bool{}
	for _, j := range open {
		lease, asked := leases[j.ID]
		held[j.ID] = asked && lease == micros(j.NextAt)
	}
	return held, err
}

func (t *tx) RestartEmails(ctx context.Context, id domain.SubscriberID, at time.Time) error {
	first, last := id.Services()
	return t.queue(ctx, `UPDATE delivery SET state = ?, attempts = 0, refused_since = 0, next_at = ? WHERE `+openOfSubscriber,
		domain.OutboxDue, micros(at), first, last, domain.EmailDelivery, domain.OutboxDone, domain.OutboxDead)
}

// openOfSubscriber selects open deliveries of a kind by the primary key. With isOpen, the planner may choose
// the index delivery_open and read all open deliveries of the kind.
const openOfSubscriber = `service_id BETWEEN ? AND ? AND kind = ? AND state NOT IN (?, ?)`

// RescheduleDeliveries implements outbox.QueueStore.
func (db *DB) RescheduleDeliveries(ctx context.Context, deliveries []domain.Delivery, at time.Time) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		for _, j := range deliveries {
			n, err := t.execRows(ctx, `UPDATE delivery SET state = ?, attempts = 0, refused_since = 0, next_at = ? WHERE service_id = ? AND id = ? AND state IN (?, ?)`,
				domain.OutboxDue, micros(at), j.Service, j.ID, domain.OutboxDue, domain.OutboxDead)
			if err == nil && n == 0 {
				err = &domain.Error{Code: domain.NotWaiting, Message: j.ID.String() + " was taken or erased meanwhile; list the deliveries again"}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Deliveries implements outbox.QueueStore.
func (db *DB) Deliveries(ctx context.Context, f domain.DeliveryFilter) ([]domain.Delivery, error) {
	var c whereClause
	addIn(&c, db.read.dialect(), `j.state`, f.States)
	addIn(&c, db.read.dialect(), `j.id`, f.IDs)
	addIn(&c, db.read.dialect(), `j.kind`, f.Kinds)
	if f.Provider != 0 {
		first, last := f.Provider.Records()
		c.add(`j.id > ? AND j.id <= ?`, first, last)
	}
	return list(ctx, db.read, func(d *domain.Delivery) []any {
		return append(deliveryTargets(d), &d.ProviderName, asDocument(&d.Document))
	}, `SELECT `+deliveryColumns+`, p.name, s.document FROM delivery j JOIN provider p ON p.id = j.id >> `+recordBits+` LEFT JOIN subscriber s ON s.id = j.service_id >> `+tokenBits+
		c.sql()+` ORDER BY j.created_at, j.id`, c.args...)
}

// SubscriberDeliveries implements reports.Store.
func (db *DB) SubscriberDeliveries(ctx context.Context, id domain.SubscriberID) ([]domain.SubscriberDelivery, error) {
	first, last := id.Services()
	return list(ctx, db.read, func(d *domain.SubscriberDelivery) []any {
		return slices.Concat(deliveryTargets(&d.Delivery), operationTargets(&d.Operation), only(&d.Driver), serviceTargets(&d.Service))
	}, subscriberDeliveries, first, last)
}

// subscriberDeliveries uses the primary key of delivery.
const subscriberDeliveries = `SELECT ` + deliveryColumns + `, ` + operationColumns + `, COALESCE(a.driver, ''), ` + serviceColumns + `
	FROM delivery j
	JOIN service v ON v.id = j.service_id
	JOIN operation o ON o.id = j.operation_id
	LEFT JOIN partner a ON a.id = o.partner_id
	WHERE j.service_id BETWEEN ? AND ?
	ORDER BY j.id DESC`
