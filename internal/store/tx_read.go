package store

import (
	"context"
	"database/sql"
	"errors"
	"sort"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// Products implements provision.Tx.
func (t *tx) Products(ctx context.Context) (map[int]provision.Offer, error) {
	rows, err := t.QueryContext(ctx, `SELECT p.id, p.name, p.code, p.family, p.active, p.can, p.partner_id,
		COALESCE(a.driver = 'http', 0), COALESCE(g.granted, ?)
		FROM product p LEFT JOIN partner a ON a.id = p.partner_id
		LEFT JOIN product_grant g ON g.product_id = p.id AND g.provider_id = ?`, t.provider.AllProducts, t.provider.ID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int]provision.Offer{}
	for rows.Next() {
		var o provision.Offer
		if err := rows.Scan(&o.ID, &o.Name, &o.Code, &o.Family, &o.Active, &o.Can, &o.Partner, &o.AsksActivation, &o.Granted); err != nil {
			return nil, err
		}
		all[o.ID] = o
	}
	return all, rows.Err()
}

// SpeedIDs implements provision.Tx.
func (t *tx) SpeedIDs(ctx context.Context) (map[int]bool, error) {
	rows, err := t.QueryContext(ctx, `SELECT id FROM internet_speed`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int]bool{}
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		all[id] = true
	}
	return all, rows.Err()
}

// Subscribers implements provision.Tx.
func (t *tx) Subscribers(ctx context.Context, documents []cpf.Document) (map[cpf.Document]provision.Subscriber, error) {
	keys := make([]uint64, len(documents))
	for i, d := range documents {
		keys[i] = d.Number()
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	found := map[cpf.Document]provision.Subscriber{}
	err := each(ctx, t, `SELECT `+subscriberColumns+` FROM subscriber s WHERE s.provider_id = ? AND s.document IN (%s)`,
		[]any{t.provider.ID}, keys, func(rows *sql.Rows) error {
			var s provision.Subscriber
			if err := scanSubscriber(rows, &s); err != nil {
				return err
			}
			found[s.Document] = s
			return nil
		})
	return found, err
}

// Services implements provision.Tx.
func (t *tx) Services(ctx context.Context, ids []provision.SubscriberID) (map[provision.SubscriberID][]provision.Service, error) {
	return servicesOf(ctx, t, ids)
}

func servicesOf(ctx context.Context, q querier, ids []provision.SubscriberID) (map[provision.SubscriberID][]provision.Service, error) {
	all := make(map[provision.SubscriberID][]provision.Service, len(ids))
	for _, id := range ids {
		first, last := id.Services()
		err := scanAll(ctx, q, `SELECT `+serviceColumns+`
			FROM service v
			WHERE v.id BETWEEN ? AND ?
			ORDER BY v.id`, []any{first, last}, func(rows *sql.Rows) error {
			var s provision.Service
			err := scanService(rows, &s)
			all[id] = append(all[id], s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ServicesByID implements provision.Tx.
func (t *tx) ServicesByID(ctx context.Context, ids []provision.ServiceID) (map[provision.ServiceID]provision.Service, error) {
	found := map[provision.ServiceID]provision.Service{}
	err := each(ctx, t, `SELECT `+serviceColumns+` FROM service v WHERE v.id IN (%s)`, nil, ids, func(rows *sql.Rows) error {
		var s provision.Service
		err := scanService(rows, &s)
		if s.ID.Provider() == t.provider.ID {
			found[s.ID] = s
		}
		return err
	})
	return found, err
}

// Operations implements provision.Tx.
func (t *tx) Operations(ctx context.Context, ids []provision.OperationID) (map[provision.OperationID]provision.Operation, error) {
	found := map[provision.OperationID]provision.Operation{}
	err := each(ctx, t, `SELECT `+operationColumns+` FROM operation o WHERE o.id IN (%s)`, nil, ids, func(rows *sql.Rows) error {
		var o provision.Operation
		err := scanOperation(rows, &o)
		if o.ID.Provider() == t.provider.ID {
			found[o.ID] = o
		}
		return err
	})
	return found, err
}

// Queue implements provision.Tx.
func (t *tx) Queue(ctx context.Context, n int) ([]provision.Service, error) {
	first, last := t.provider.ID.Records()
	rows, err := t.QueryContext(ctx, `SELECT `+serviceColumns+` FROM service v WHERE v.status_id = 6 AND v.operation_id BETWEEN ? AND ?
		ORDER BY v.operation_id LIMIT ?`, first, last, n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []provision.Service
	for rows.Next() {
		var s provision.Service
		if err := scanService(rows, &s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// QueuePositions implements provision.Tx.
func (t *tx) QueuePositions(ctx context.Context, ids []provision.OperationID) (map[provision.OperationID]int, error) {
	first, last := t.provider.ID.Records()
	rows, err := t.QueryContext(ctx, `SELECT operation_id FROM service WHERE status_id = 6 AND operation_id BETWEEN ? AND ? ORDER BY operation_id`, first, last)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	wanted := map[provision.OperationID]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	found := map[provision.OperationID]int{}
	for n := 1; rows.Next() && len(found) < len(wanted); n++ {
		var id provision.OperationID
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		if wanted[id] {
			found[id] = n
		}
	}
	return found, rows.Err()
}

// Callback implements provision.Tx.
func (t *tx) Callback(ctx context.Context) (provision.Callback, bool, error) {
	c := provision.Callback{Provider: t.provider.ID}
	err := scanRow(ctx, t, `SELECT url, secret, allow_private, enabled, failures FROM callback WHERE provider_id = ? AND enabled`, []any{t.provider.ID},
		func(rows *sql.Rows) error {
			return rows.Scan(&c.URL, &c.Secret, &c.AllowPrivate, &c.Enabled, &c.Failures)
		})
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	return c, err == nil, err
}

// Answer implements provision.Tx.
func (t *tx) Answer(ctx context.Context, key [32]byte) (provision.StoredAnswer, bool, error) {
	a := provision.StoredAnswer{Key: key}
	var fingerprint []byte
	var created int64
	err := scanRow(ctx, t, `SELECT fingerprint, answer, created_at FROM answer WHERE provider_id = ? AND key = ?`, []any{t.provider.ID, key[:]},
		func(rows *sql.Rows) error { return rows.Scan(&fingerprint, &a.Answer, &created) })
	if errors.Is(err, sql.ErrNoRows) {
		return a, false, nil
	}
	copy(a.Fingerprint[:], fingerprint)
	a.CreatedAt = fromMicros(created)
	return a, err == nil, err
}
