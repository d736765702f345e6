package store

import (
	"context"
	"database/sql"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// eventRow is a row of the table event: one event, or a run of several.
type eventRow struct {
	provision.Event       // the first one; its ID is that of the last until expand is called
	events          int64 // how many they are
	run             []byte
	documentNumber  sql.NullInt64 // of the first one's subscriber
}

// Both name a run's columns last. feedColumns looks each subscriber up by its id: a
// join might read all subscribers.
const (
	eventColumns = `e.id, e.at, e.type, e.subscriber_id, e.service_id, e.product_id, e.previous_id, e.status_id, e.trigger, e.actor, e.reason, e.operation_id,
	e.token_id, e.previous_product_id, COALESCE(t.name, ''), e.events, e.run`
	feedColumns = eventColumns + `, (SELECT s.document FROM subscriber s WHERE s.id = e.subscriber_id)`
)

func scanEvent(r row, e *eventRow, more ...any) error {
	var at int64
	err := r.Scan(append([]any{fastInt(&e.ID), fastInt(&at), fastInt(&e.Type), fastInt(&e.Subscriber), fastInt(&e.Service), fastInt(&e.ProductID),
		fastInt(&e.Previous), fastInt(&e.Status), &e.Trigger, &e.Actor, &e.Reason, fastInt(&e.Operation), fastInt(&e.Token), fastInt(&e.PreviousProductID),
		&e.ActorName, fastInt(&e.events), &e.run}, more...)...)
	e.At = fromMicros(at)
	return err
}

// History implements provision.Reader. The one run that may hold the subscriber is the
// last that does not begin after it, since runs ascend by subscriber.
func (db *DB) History(ctx context.Context, id provision.SubscriberID) (all []provision.Event, err error) {
	first, _ := id.Provider().Subscribers()
	err = db.read.query(ctx, historyOfSubscriber, []any{id, first, id}, func(r row) error {
		var e eventRow
		if err := scanEvent(r, &e); err != nil {
			return err
		}
		return e.expand(func(e *eventRow) error {
			if e.Subscriber == id {
				all = append(all, e.Event)
			}
			return nil
		})
	})
	return all, err
}

const historyOfSubscriber = `SELECT ` + eventColumns + `
	FROM (
		SELECT *
		FROM event
		WHERE subscriber_id = ?
		UNION ALL
		SELECT *
		FROM (
			SELECT *
			FROM event
			WHERE ` + isRun + ` AND subscriber_id >= ? AND subscriber_id < ?
			ORDER BY subscriber_id DESC LIMIT 1
		) nearest
	) e
	LEFT JOIN access_token t ON t.id = e.token_id
	ORDER BY e.id`

// Events implements provision.Reader.
func (db *DB) Events(ctx context.Context, p provision.ProviderID, after provision.EventID, limit int) ([]provision.Event, error) {
	first, end := p.Records()
	fromOldest := int64(after) <= first // which may have any number
	if fromOldest {
		found, err := queryRow(ctx, db.read, `SELECT e.id - e.events FROM event e WHERE e.id > ? AND e.id <= ? ORDER BY e.id LIMIT 1`, []any{first, end}, scanInto(&after))
		if err != nil || !found {
			return nil, err
		}
	}
	var all []provision.Event
	var inRuns []provision.SubscriberID
	err := eachEvent(ctx, db.read, feedEvents, after, min(after+provision.EventID(limit), provision.EventID(end)), func(r row, e *eventRow) error {
		err := scanEvent(r, e, &e.documentNumber)
		e.Document = documentText(e.documentNumber)
		return err
	}, func(e *eventRow) error {
		if all = append(all, e.Event); e.events > 1 {
			inRuns = append(inRuns, e.Subscriber)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case fromOldest && len(all) == 0: // a purge came between the two statements
		return db.Events(ctx, p, 0, limit)
	case len(inRuns) == 0:
		return all, nil
	}
	return all, addEventDocuments(ctx, db.read, inRuns[0], inRuns[len(inRuns)-1], all)
}

const feedEvents = `SELECT ` + feedColumns + ` FROM event e LEFT JOIN access_token t ON t.id = e.token_id WHERE `

// eachEvent calls fn for each event with after < id <= last, in order. The query lacks
// the end of its WHERE.
func eachEvent(ctx context.Context, q querier, query string, after, last provision.EventID, scan func(row, *eventRow) error, fn func(*eventRow) error) error {
	_, end := last.Provider().Records()
	until := min(last+maxRun-1, provision.EventID(end))
	return q.query(ctx, query+`e.id > ? AND e.id <= ? AND e.id - e.events < ? ORDER BY e.id LIMIT ?`, []any{after, until, last, int64(last - after)}, func(r row) error {
		var e eventRow
		if err := scan(r, &e); err != nil {
			return err
		}
		return e.expand(func(e *eventRow) error {
			if e.ID <= after || e.ID > last {
				return nil
			}
			return fn(e)
		})
	})
}

// addEventDocuments sets the documents of the events of subscribers from the first to
// the last, who were created by events among these.
func addEventDocuments(ctx context.Context, q querier, first, last provision.SubscriberID, all []provision.Event) error {
	documents := make(map[provision.SubscriberID]string, len(all))
	err := eachDocument(ctx, q, first-1, last, func(id provision.SubscriberID, document string) { documents[id] = document })
	for i := range all {
		if e := &all[i]; e.Document == "" {
			e.Document = documents[e.Subscriber]
		}
	}
	return err
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

// LastEvent implements provision.Queries.
func (db *DB) LastEvent(ctx context.Context, p provision.ProviderID) (last provision.EventID, err error) {
	_, err = queryRow(ctx, db.read, `SELECT last_event FROM provider WHERE id = ?`, []any{p}, func(r row) error {
		return r.Scan(fastInt(&last))
	})
	first, _ := p.Records()
	return last + provision.EventID(first), err
}

const eventFields = `id, at, type, subscriber_id, service_id, product_id, previous_id, status_id, trigger, actor, reason, operation_id, token_id, previous_product_id`

// InsertEvents implements provision.Tx.
func (t *tx) InsertEvents(ctx context.Context, all []provision.Event) error {
	single, runs := all, []eventRow(nil)
	if t.eventRuns && len(all) >= minRun {
		single, runs = splitRuns(all)
	}
	if err := insert(ctx, t, `event`, eventFields, single, eventValues); err != nil {
		return err
	}
	return insert(ctx, t, `event`, eventFields+`, events, run`, runs, func(row []any, e eventRow) []any {
		return append(eventValues(row, e.Event), e.events, e.run)
	})
}

func eventValues(row []any, e provision.Event) []any {
	return append(row, int64(e.ID), micros(e.At), int64(e.Type), int64(e.Subscriber), int64(e.Service), int64(e.ProductID), int64(e.Previous),
		int64(e.Status), e.Trigger, string(e.Actor), e.Reason, int64(e.Operation), int64(e.Token), int64(e.PreviousProductID))
}
