package store

import (
	"context"
	"errors"
	"slices"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/searchindex"
)

const subscriberColumns = `s.id, s.document, s.name, s.email, s.phone, s.internet_speed_id, s.customer_plan, s.created_at`

func subscriberTargets(s *domain.Subscriber) []any {
	return []any{fastInt(&s.ID), asDocument(&s.Document), &s.Name, &s.Email, &s.Phone, fastInt(&s.SpeedID), &s.Plan, asTime(&s.CreatedAt)}
}

func (t *tx) Subscribers(ctx context.Context, documents []cpf.Document) (map[cpf.Document]domain.Subscriber, error) {
	found := make(map[cpf.Document]domain.Subscriber, len(documents))
	return found, t.byDocument(ctx, subscriberColumns, documents, func(r row) error {
		var s domain.Subscriber
		err := r.Scan(subscriberTargets(&s)...)
		found[s.Document] = s
		return err
	})
}

// SubscriberIDs implements rules.Tx. It reads only the index.
func (t *tx) SubscriberIDs(ctx context.Context, documents []cpf.Document) (map[cpf.Document]domain.SubscriberID, error) {
	found := make(map[cpf.Document]domain.SubscriberID, len(documents))
	return found, t.byDocument(ctx, `s.document, s.id`, documents, func(r row) error {
		var document cpf.Document
		var id domain.SubscriberID
		err := r.Scan(asDocument(&document), fastInt(&id))
		found[document] = id
		return err
	})
}

// byDocument reads columns of the subscribers with the documents, in the order of the index.
func (t *tx) byDocument(ctx context.Context, columns string, documents []cpf.Document, scan func(row) error) error {
	keys := make([]uint64, len(documents))
	for i, d := range documents {
		keys[i] = d.Number()
	}
	slices.Sort(keys)
	from := ` FROM json_each(?) k CROSS JOIN subscriber s ON s.provider_id = ? AND s.document = k.value`
	if t.dialect().isPostgres {
		from = subscribersOfMany
	}
	return t.query(ctx, `SELECT `+columns+from, []any{int64s(keys), t.provider.ID}, scan)
}

// subscribersOfMany looks up each document on PostgreSQL with the complete unique index. For a
// provider newer than its statistics the planner would otherwise assume no subscribers and read them
// all.
const subscribersOfMany = `
	FROM unnest(?::bigint[]) AS k (document)
	CROSS JOIN LATERAL (
		SELECT *
		FROM subscriber
		WHERE provider_id = ? AND document = k.document
		LIMIT 1
	) s`

func (t *tx) InsertSubscribers(ctx context.Context, all []domain.Subscriber) (map[cpf.Document]bool, error) {
	if t.dialect().isPostgres {
		return t.insertNewSubscribers(ctx, all)
	}
	added, err := insertOr(ctx, t, "IGNORE", `subscriber`, subscriberFields, all, t.subscriberValues)
	if err != nil {
		return nil, err
	}
	existing := map[cpf.Document]bool{}
	if added < len(all) {
		if existing, err = t.takenDocuments(ctx, all); err != nil {
			return nil, err
		}
	}
	for _, s := range all {
		if !existing[s.Document] {
			t.indexChanges = append(t.indexChanges, searchindex.ChangeTo(s))
		}
	}
	t.addToSubscriberCount(added)
	return existing, nil
}

// takenDocuments returns the documents that belong to other subscribers.
func (t *tx) takenDocuments(ctx context.Context, all []domain.Subscriber) (map[cpf.Document]bool, error) {
	documents := make([]cpf.Document, len(all))
	for i, s := range all {
		documents[i] = s.Document
	}
	have, err := t.SubscriberIDs(ctx, documents)
	others := map[cpf.Document]bool{}
	for _, s := range all {
		if have[s.Document] != s.ID {
			others[s.Document] = true
		}
	}
	return others, err
}

// insertNewSubscribers inserts on PostgreSQL the subscribers whose documents are new. The look-up is
// that of subscribersOfMany, under the provider's lock: ON CONFLICT looks into every index and writes
// to the log twice.
func (t *tx) insertNewSubscribers(ctx context.Context, all []domain.Subscriber) (map[cpf.Document]bool, error) {
	existing := make(map[cpf.Document]bool, len(all))
	for _, s := range all {
		existing[s.Document] = true
	}
	const columns = subscriberFields + `, folded`
	u := unnest(all, widthOf(columns), func(row []any, s domain.Subscriber) []any {
		return append(t.subscriberValues(row, s), searchindex.Text(s))
	})
	inserted, err := list(ctx, t, func(d *cpf.Document) []any { return []any{asDocument(d)} }, `INSERT INTO subscriber (`+columns+`)
		SELECT *
		FROM (`+u.query()+`) AS fresh (`+columns+`)
		WHERE (SELECT s.id FROM subscriber s WHERE s.provider_id = fresh.provider_id AND s.document = fresh.document LIMIT 1) IS NULL
		RETURNING document`, u.args...)
	for _, d := range inserted {
		delete(existing, d)
	}
	t.addToSubscriberCount(len(inserted))
	return existing, err
}

const subscriberFields = `id, provider_id, document, name, email, phone, internet_speed_id, customer_plan, created_at`

func (t *tx) subscriberValues(row []any, s domain.Subscriber) []any {
	return append(row, int64(s.ID), int64(t.provider.ID), int64(s.Document.Number()), s.Name, s.Email, s.Phone, int64(s.SpeedID), s.Plan, micros(s.CreatedAt))
}

func (t *tx) UpdateSubscriber(ctx context.Context, s domain.Subscriber) error {
	have, err := t.SubscriberIDs(ctx, []cpf.Document{s.Document})
	if err != nil {
		return err
	}
	if other, ok := have[s.Document]; ok && other != s.ID {
		return &domain.Error{Code: domain.SubscriberExists, Message: "a subscriber with this document exists"}
	}
	if !t.dialect().isPostgres {
		t.indexChanges = append(t.indexChanges, searchindex.ChangeTo(s))
	} else if err := t.queue(ctx, `UPDATE subscriber SET folded = ? WHERE id = ?`, searchindex.Text(s), s.ID); err != nil {
		return err
	}
	return t.queue(ctx, `UPDATE subscriber SET document = ?, name = ?, email = ?, phone = ?, internet_speed_id = ?, customer_plan = ? WHERE id = ?`,
		int64(s.Document.Number()), s.Name, s.Email, s.Phone, s.SpeedID, s.Plan, s.ID)
}

func (t *tx) EraseSubscriber(ctx context.Context, id domain.SubscriberID) error {
	first, last := id.Services()
	firstRecord, lastRecord := t.provider.ID.Records()
	t.indexChanges = append(t.indexChanges, searchindex.Change{ID: id})
	t.addToSubscriberCount(-1)
	return errors.Join(
		t.queue(ctx, `UPDATE partner_event SET reason = '' WHERE reason <> '' AND operation_id BETWEEN ? AND ?
			AND EXISTS (SELECT 1 FROM operation o WHERE o.id = operation_id AND o.service_id BETWEEN ? AND ?)`, firstRecord, lastRecord, first, last),
		t.queue(ctx, `UPDATE operation SET reason = '' WHERE reason <> '' AND service_id BETWEEN ? AND ?`, first, last),
		t.queue(ctx, `UPDATE event SET reason = '' WHERE reason <> '' AND subscriber_id = ? AND `+isIndexed, id),
		t.queue(ctx, `DELETE FROM schedule WHERE service_id BETWEEN ? AND ?`, first, last),
		t.queue(ctx, `DELETE FROM delivery WHERE service_id BETWEEN ? AND ?`, first, last),
		t.queue(ctx, `DELETE FROM activation_link WHERE service_id BETWEEN ? AND ?`, first, last),
		t.queue(ctx, `UPDATE idempotency_response SET response = ? WHERE subscriber_id = ?`, []byte{}, id),
		t.queue(ctx, `DELETE FROM subscriber WHERE id = ?`, id))
}
