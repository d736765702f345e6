package store

import (
	"cmp"
	"context"
	"slices"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// EachServiceSince implements provision.Reader. Services outlive their subscribers,
// so those tell which ids there are.
func (db *DB) EachServiceSince(ctx context.Context, p provision.ProviderID, since provision.EventID, documents bool, fn func(*provision.ServiceEvents) error) error {
	first, end := p.Subscribers()
	from, _ := first.Services()
	_, to := end.Services()
	var newest provision.ServiceID
	_, err := queryRow(ctx, db.read, `SELECT COALESCE(MAX(id), 0) FROM service WHERE id BETWEEN ? AND ?`, []any{from, to}, scanInto(&newest))
	if err != nil {
		return err
	}
	return eachBatch(ctx, first, newest.Subscriber(), func(ctx context.Context, after, last provision.SubscriberID) ([]provision.ServiceEvents, error) {
		all, err := serviceEventsBetween(ctx, db.read, after, last, since)
		if err == nil && documents {
			err = addDocuments(ctx, db.read, after, last, all)
		}
		return all, err
	}, fn)
}

// statusEvent is an event with the service that it is about.
type statusEvent struct {
	service provision.ServiceID
	provision.StatusEvent
}

// serviceEventsBetween reads the services of subscribers with after < id <= last,
// and then their status changes from the event since on.
func serviceEventsBetween(ctx context.Context, q querier, after, last provision.SubscriberID, since provision.EventID) ([]provision.ServiceEvents, error) {
	from, _ := (after + 1).Services()
	_, to := last.Services()
	services, err := list(ctx, q, func(r row, s *provision.ServiceEvents) error { return scanService(r, &s.Service) },
		`SELECT `+serviceColumns+` FROM service v WHERE v.id BETWEEN ? AND ? ORDER BY v.id`, from, to)
	if err != nil || len(services) == 0 {
		return nil, err
	}
	// The sign keeps the planner at the index of subscribers: the primary key would
	// lead it through all events of all of them.
	events, err := list(ctx, q, scanStatusEvent, `SELECT e.id, e.at, e.service_id, e.product_id, e.previous_product_id, e.previous_id, e.status_id
		FROM event e
		WHERE e.subscriber_id > ? AND e.subscriber_id <= ? AND +e.id >= ? AND e.type = ?
		ORDER BY e.subscriber_id, e.id`, after, last, since, provision.StatusChanged)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(events, func(a, b statusEvent) int { return cmp.Compare(a.service, b.service) })
	n := 0
	for i := range services {
		for n < len(events) && events[n].service < services[i].ID {
			n++ // of a service that is newer than the list
		}
		for ; n < len(events) && events[n].service == services[i].ID; n++ {
			services[i].Events = append(services[i].Events, events[n].StatusEvent)
		}
	}
	return services, nil
}

func scanStatusEvent(r row, e *statusEvent) error {
	var at int64
	err := r.Scan(fastInt(&e.ID), fastInt(&at), fastInt(&e.service), fastInt(&e.ProductID), fastInt(&e.PreviousProductID), fastInt(&e.Previous), fastInt(&e.Status))
	e.At = fromMicros(at)
	return err
}

// addDocuments sets the documents of the services whose subscriber exists.
func addDocuments(ctx context.Context, q querier, after, last provision.SubscriberID, services []provision.ServiceEvents) error {
	n := 0
	return q.query(ctx, `SELECT s.id, s.document FROM subscriber s WHERE s.id > ? AND s.id <= ? ORDER BY s.id`, []any{after, last}, func(r row) error {
		var id provision.SubscriberID
		var number uint64
		if err := r.Scan(fastInt(&id), fastInt(&number)); err != nil {
			return err
		}
		document := string(cpf.FromNumber(number))
		for ; n < len(services) && services[n].ID.Subscriber() <= id; n++ {
			if services[n].ID.Subscriber() == id {
				services[n].Document = document
			}
		}
		return nil
	})
}
