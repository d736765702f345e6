package store

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ativa/internal/cpf"
	"ativa/internal/provision"
	"ativa/internal/tempfile"
)

// EachServiceBetween implements provision.Reader. The events are read once, in their
// own order, and sorted by service: finding those of each service would take ten
// times as long.
func (db *DB) EachServiceBetween(ctx context.Context, p provision.ProviderID, after, last provision.EventID, documents bool, fn func(*provision.ServiceEvents) error) (err error) {
	events := &eventSorter{Sorter: tempfile.Sorter[[4]uint64]{Of: "events"}}
	defer func() { err = errors.Join(err, events.Close()) }()
	const batch = 10_000
	for ; after < last; after += batch {
		if err := eachEvent(ctx, db.read, statusChanges, after, min(after+batch, last), scanStatusChange, events.add); err != nil {
			return err
		}
	}
	next, err := events.Sorted()
	if err != nil {
		return err
	}
	return db.eachService(ctx, p, documents, func(s *provision.ServiceEvents) error {
		if err := events.addTo(s, next); err != nil {
			return err
		}
		return fn(s)
	})
}

// eventSorter sorts status changes by service and then by id. A record is the
// service, the event, its time with both statuses, and both products.
type eventSorter struct {
	tempfile.Sorter[[4]uint64]
	head   [4]uint64 // the next record, when it was read
	read   bool
	events []provision.StatusEvent
}

const (
	statusBits  = 6
	productBits = 32
)

// statusChanges has what a report needs of them, and 1 is provision.StatusChanged.
const statusChanges = `SELECT e.id, e.at, e.type, e.subscriber_id, e.service_id, e.product_id, e.previous_product_id, e.previous_id, e.status_id, e.operation_id, e.events, e.run
	FROM event e
	WHERE (e.type = 1 OR e.` + isRun + `) AND `

func scanStatusChange(r row, e *eventRow) error {
	var at int64
	err := r.Scan(fastInt(&e.ID), fastInt(&at), fastInt(&e.Type), fastInt(&e.Subscriber), fastInt(&e.Service), fastInt(&e.ProductID), fastInt(&e.PreviousProductID),
		fastInt(&e.Previous), fastInt(&e.Status), fastInt(&e.Operation), fastInt(&e.events), &e.run)
	e.At = fromMicros(at)
	return err
}

func (s *eventSorter) add(e *eventRow) error {
	if e.Type != provision.StatusChanged {
		return nil
	}
	product, replaced := uint64(e.ProductID), uint64(e.PreviousProductID)
	if (product|replaced)>>productBits > 0 {
		return fmt.Errorf("event %d: its product has a number of more than %d bits", e.ID, productBits)
	}
	return s.Add([4]uint64{uint64(e.Service), uint64(e.ID), uint64(micros(e.At))<<(2*statusBits) | uint64(e.Previous)<<statusBits | uint64(e.Status),
		product<<productBits | replaced})
}

// addTo gives a service its events. Services come in ascending order; the events of
// one that does not come are passed over.
func (s *eventSorter) addTo(to *provision.ServiceEvents, next func() ([4]uint64, error)) (err error) {
	s.events = s.events[:0]
	for ; ; s.read = false {
		if !s.read {
			if s.head, err = next(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
			s.read = true
		}
		service := provision.ServiceID(s.head[0])
		if service > to.ID {
			break
		}
		if service == to.ID {
			s.events = append(s.events, statusEvent(s.head))
		}
	}
	to.Events = s.events
	return nil
}

func statusEvent(r [4]uint64) provision.StatusEvent {
	const status, product = 1<<statusBits - 1, 1<<productBits - 1
	return provision.StatusEvent{
		ID: provision.EventID(r[1]), At: fromMicros(int64(r[2] >> (2 * statusBits))),
		Previous: provision.Status(r[2] >> statusBits & status), Status: provision.Status(r[2] & status),
		ProductID: int(r[3] >> productBits), PreviousProductID: int(r[3] & product),
	}
}

// eachService calls fn for every service in order of id. Services outlive their
// subscribers, so those tell which ids there are.
func (db *DB) eachService(ctx context.Context, p provision.ProviderID, documents bool, fn func(*provision.ServiceEvents) error) error {
	first, end := p.Subscribers()
	from, _ := first.Services()
	_, to := end.Services()
	var newest provision.ServiceID
	_, err := queryRow(ctx, db.read, `SELECT COALESCE(MAX(id), 0) FROM service WHERE id BETWEEN ? AND ?`, []any{from, to}, scanInto(&newest))
	if err != nil {
		return err
	}
	return eachBatch(ctx, first, newest.Subscriber(), func(ctx context.Context, after, last provision.SubscriberID) ([]provision.ServiceEvents, error) {
		from, _ := (after + 1).Services()
		_, to := last.Services()
		all, err := list(ctx, db.read, func(r row, s *provision.ServiceEvents) error { return scanService(r, &s.Service) },
			`SELECT `+serviceColumns+` FROM service v WHERE v.id BETWEEN ? AND ? ORDER BY v.id`, from, to)
		if err == nil && documents && len(all) > 0 {
			err = addDocuments(ctx, db.read, after, last, all)
		}
		return all, err
	}, fn)
}

// addDocuments sets the documents of the services whose subscriber exists.
func addDocuments(ctx context.Context, q querier, after, last provision.SubscriberID, services []provision.ServiceEvents) error {
	n := 0
	return eachDocument(ctx, q, after, last, func(id provision.SubscriberID, document string) {
		for ; n < len(services) && services[n].ID.Subscriber() <= id; n++ {
			if services[n].ID.Subscriber() == id {
				services[n].Document = document
			}
		}
	})
}

// eachDocument calls fn for each subscriber with after < id <= last, in order.
func eachDocument(ctx context.Context, q querier, after, last provision.SubscriberID, fn func(provision.SubscriberID, string)) error {
	return q.query(ctx, `SELECT s.id, s.document FROM subscriber s WHERE s.id > ? AND s.id <= ? ORDER BY s.id`, []any{after, last}, func(r row) error {
		var id provision.SubscriberID
		var number uint64
		err := r.Scan(fastInt(&id), fastInt(&number))
		fn(id, string(cpf.FromNumber(number)))
		return err
	})
}
