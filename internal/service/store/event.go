package store

import (
	"context"

	"ativa/internal/service/domain"
)

// eventColumns expects access_token to be joined as t.
const eventColumns = `e.id, e.at, e.type, e.subscriber_id, e.service_id, e.product_id, e.previous_status_id, e.status_id, e.trigger, e.actor, e.reason, e.operation_id,
	e.token_id, e.previous_product_id, e.about_token_id, COALESCE(t.name, '')`

func eventTargets(e *domain.Event) []any {
	return []any{fastInt(&e.ID), asTime(&e.At), fastInt(&e.Type), fastInt(&e.Subscriber), fastInt(&e.Service), fastInt(&e.ProductID),
		fastInt(&e.Previous), fastInt(&e.Status), &e.Trigger, &e.Actor, &e.Reason, fastInt(&e.Operation), fastInt(&e.Token), fastInt(&e.PreviousProductID),
		fastInt(&e.AboutToken), &e.ActorName}
}

// History implements reports.Store.
func (db *DB) History(ctx context.Context, id domain.SubscriberID) ([]domain.Event, error) {
	return list(ctx, db.read, eventTargets, historyOfSubscriber, id, id)
}

// isIndexed is the condition of the index event_subscriber. An import writes one event for
// each service of a subscriber, directly after the event of the subscriber.
const isIndexed = `(service_id = 0 OR trigger <> 'import')`

// eventsOfSubscriber are the ids of a subscriber's events; the parameters are the subscriber's
// id, twice.
const eventsOfSubscriber = `SELECT id
	FROM event
	WHERE subscriber_id = ? AND ` + isIndexed + `
	UNION ALL
	SELECT f.id
	FROM event c
	JOIN event f ON f.id > c.id AND f.id <= c.id + (
		SELECT COUNT(*) FROM service v WHERE v.id BETWEEN c.subscriber_id * ` + idsEach + ` AND c.subscriber_id * ` + idsEach + ` + ` + lastToken + `
	)
	WHERE c.subscriber_id = ? AND c.service_id = 0 AND c.trigger = 'import'
		AND f.subscriber_id = c.subscriber_id AND f.trigger = 'import'`

const historyOfSubscriber = `SELECT ` + eventColumns + `
	FROM event e
	LEFT JOIN access_token t ON t.id = e.token_id
	WHERE e.id IN (` + eventsOfSubscriber + `)
	ORDER BY e.id`

// Events implements reports.Store.
func (db *DB) Events(ctx context.Context, p domain.ProviderID, after domain.EventID, limit int) ([]domain.Event, error) {
	first, end := p.Records()
	return list(ctx, db.read, func(e *domain.Event) []any {
		return append(eventTargets(e), &e.TokenName, fastInt(&e.TokenScopes), asDocument(&e.Document))
	}, feedEvents, max(after, domain.EventID(first)), end, limit)
}

// feedEvents looks up each subscriber by id, because a join might read all subscribers.
const feedEvents = `SELECT ` + eventColumns + `, COALESCE(a.name, ''), COALESCE(a.scopes, 0), (SELECT s.document FROM subscriber s WHERE s.id = e.subscriber_id)
	FROM event e
	LEFT JOIN access_token t ON t.id = e.token_id
	LEFT JOIN access_token a ON a.id = e.about_token_id
	WHERE e.id > ? AND e.id <= ?
	ORDER BY e.id LIMIT ?`

// LastEvent implements server.Store.
func (db *DB) LastEvent(ctx context.Context, p domain.ProviderID) (last domain.EventID, err error) {
	_, err = queryRow(ctx, db.read, `SELECT last_event FROM provider WHERE id = ?`, []any{p}, &last)
	first, _ := p.Records()
	return last + domain.EventID(first), err
}

const eventFields = `id, at, type, subscriber_id, service_id, product_id, previous_status_id, status_id, trigger, actor, reason, operation_id, token_id, previous_product_id, about_token_id`

func (t *tx) insertEvents(ctx context.Context, all []domain.Event) error {
	return insert(ctx, t, `event`, eventFields, all, eventValues)
}

func eventValues(row []any, e domain.Event) []any {
	return append(row, int64(e.ID), micros(e.At), int64(e.Type), int64(e.Subscriber), int64(e.Service), int64(e.ProductID), int64(e.Previous),
		int64(e.Status), e.Trigger, string(e.Actor), e.Reason, int64(e.Operation), int64(e.Token), int64(e.PreviousProductID), int64(e.AboutToken))
}
