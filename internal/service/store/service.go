package store

import (
	"context"
	"maps"
	"slices"

	"ativa/internal/service/domain"
)

const serviceColumns = `v.id, v.product_id, v.status_id, v.created_at, v.updated_at, v.operation_id, v.operation_kind, v.last_stable_status_id, v.previous_product_id, v.requested_product_id, v.deferred_trigger, v.email_number`

func serviceTargets(s *domain.Service) []any {
	return append(listedServiceTargets(s), fastInt(&s.Operation), fastInt(&s.Kind),
		fastInt(&s.LastStable), fastInt(&s.PreviousProductID), fastInt(&s.RequestedProductID), fastInt(&s.Deferred), fastInt(&s.EmailNumber))
}

// listedServiceColumns are the columns of a service that a list of subscribers shows: half of them,
// and lists are long.
const listedServiceColumns = `v.id, v.product_id, v.status_id, v.created_at, v.updated_at`

func listedServiceTargets(s *domain.Service) []any {
	return []any{fastInt(&s.ID), fastInt(&s.ProductID), fastInt(&s.Status), asTime(&s.CreatedAt), asTime(&s.UpdatedAt)}
}

func (t *tx) Services(ctx context.Context, ids []domain.SubscriberID) (map[domain.SubscriberID][]domain.Service, error) {
	return servicesOf(ctx, t, ids)
}

func servicesOf(ctx context.Context, s querier, ids []domain.SubscriberID) (map[domain.SubscriberID][]domain.Service, error) {
	query := `SELECT ` + serviceColumns + ` FROM json_each(?) r CROSS JOIN service v ON v.id BETWEEN r.value AND r.value + ` + lastToken
	if s.dialect().isPostgres {
		query = servicesOfMany
	}
	firsts := make([]int64, len(ids))
	for i, id := range ids {
		first, _ := id.Services()
		firsts[i] = int64(first)
	}
	all := make(map[domain.SubscriberID][]domain.Service, len(ids))
	return all, s.query(ctx, query, []any{firsts}, func(r row) error {
		var v domain.Service
		err := r.Scan(serviceTargets(&v)...)
		id := v.ID.Subscriber()
		all[id] = append(all[id], v)
		return err
	})
}

// servicesOfMany takes the first service id of each subscriber. On PostgreSQL the LIMIT makes the
// planner walk the primary key once for each.
const servicesOfMany = `SELECT ` + serviceColumns + `
	FROM unnest(?::bigint[]) AS r (first)
	CROSS JOIN LATERAL (
		SELECT *
		FROM service
		WHERE id BETWEEN r.first AND r.first + ` + lastToken + `
		ORDER BY id LIMIT ` + idsEach + `
	) v
	ORDER BY v.id`

func (t *tx) ServicesByID(ctx context.Context, ids []domain.ServiceID) (map[domain.ServiceID]domain.Service, error) {
	found, err := mapByKeys(ctx, t, serviceTargets, `SELECT `+serviceColumns+` FROM service v WHERE v.id %s`, ids,
		func(s *domain.Service) domain.ServiceID { return s.ID })
	maps.DeleteFunc(found, func(id domain.ServiceID, _ domain.Service) bool { return id.Provider() != t.provider.ID })
	return found, err
}

func (t *tx) Queue(ctx context.Context, n int) ([]domain.Service, error) {
	first, last := t.provider.ID.Records()
	return list(ctx, t, serviceTargets, `SELECT `+serviceColumns+`
		FROM service v
		WHERE v.`+isQueued+` AND v.operation_id BETWEEN ? AND ?
		ORDER BY v.operation_id LIMIT ?`, first, last, n)
}

func (t *tx) QueuePositions(ctx context.Context, ids []domain.OperationID) (map[domain.OperationID]int, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	start, _ := t.provider.ID.Records()
	first, last := slices.Min(ids), slices.Max(ids)
	const queued = ` FROM service WHERE ` + isQueued + ` AND operation_id `
	n := 0
	if _, err := queryRow(ctx, t, `SELECT COUNT(*)`+queued+`>= ? AND operation_id < ?`, []any{start, first}, &n); err != nil {
		return nil, err
	}
	queue, err := list(ctx, t, only[domain.OperationID], `SELECT operation_id`+queued+`BETWEEN ? AND ? ORDER BY operation_id`, first, last)
	found := make(map[domain.OperationID]int, len(ids))
	for _, id := range ids {
		if i, ok := slices.BinarySearch(queue, id); ok {
			found[id] = n + i + 1
		}
	}
	return found, err
}

func (t *tx) insertServices(ctx context.Context, all []domain.Service) error {
	return insert(ctx, t, `service`, `id, product_id, status_id, created_at, updated_at, operation_id, operation_kind, last_stable_status_id, previous_product_id, requested_product_id, deferred_trigger, email_number`, all,
		func(row []any, s domain.Service) []any {
			return append(row, int64(s.ID), int64(s.ProductID), int64(s.Status), micros(s.CreatedAt), micros(s.UpdatedAt), int64(s.Operation), int64(s.Kind),
				int64(s.LastStable), int64(s.PreviousProductID), int64(s.RequestedProductID), int64(s.Deferred), int64(s.EmailNumber))
		})
}

func (t *tx) updateServices(ctx context.Context, all []domain.Service) error {
	return update(ctx, t, `UPDATE service SET product_id = ?, status_id = ?, updated_at = ?, operation_id = ?, operation_kind = ?,
		last_stable_status_id = ?, previous_product_id = ?, requested_product_id = ?, deferred_trigger = ?, email_number = ? WHERE id = ?`, all,
		func(row []any, s domain.Service) []any {
			return append(row, int64(s.ProductID), int64(s.Status), micros(s.UpdatedAt), int64(s.Operation), int64(s.Kind), int64(s.LastStable),
				int64(s.PreviousProductID), int64(s.RequestedProductID), int64(s.Deferred), int64(s.EmailNumber), int64(s.ID))
		})
}

// ServiceDetails implements outbox.QueueStore.
func (db *DB) ServiceDetails(ctx context.Context, ids []domain.ServiceID) (map[domain.ServiceID]domain.ServiceDetails, error) {
	products, err := db.Products(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[int]domain.Product{}
	for _, p := range products {
		byID[p.ID] = p
	}
	var sellers []domain.ProviderID
	var owners []domain.SubscriberID
	for _, id := range ids {
		sellers, owners = append(sellers, id.Provider()), append(owners, id.Subscriber())
	}
	byProvider, err := mapByKeys(ctx, db.read, providerTargets, `SELECT `+providerColumns+` FROM provider WHERE id %s`, sellers,
		func(p *domain.Provider) domain.ProviderID { return p.ID })
	if err != nil {
		return nil, err
	}
	found, err := mapByKeys(ctx, db.read, func(d *domain.ServiceDetails) []any { return append(serviceTargets(&d.Service), &d.Requests) }, `SELECT `+serviceColumns+`, o.attempts
		FROM service v
		JOIN operation o ON o.id = v.operation_id
		WHERE v.id %s`, ids, func(d *domain.ServiceDetails) domain.ServiceID { return d.Service.ID })
	if err != nil {
		return nil, err
	}
	subscribers, err := db.subscribersByID(ctx, owners)
	for id, d := range found {
		d.Product, d.Provider, d.Subscriber = byID[d.Service.ProductID], byProvider[id.Provider()], subscribers[id.Subscriber()]
		found[id] = d
	}
	return found, err
}
