package store

import (
	"context"
	"errors"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store/searchindex"
)

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
	u := unnest(all, widthOf(columns), 1, func(row []any, s domain.Subscriber) []any {
		return append(t.subscriberValues(row, s), searchindex.Text(s))
	})
	inserted, err := list(ctx, t, func(d *cpf.Document) []any { return []any{asDocument(d)} }, `INSERT INTO subscriber (`+columns+`)
		SELECT *
		FROM (`+u.query()+`) AS fresh (`+columns+`)
		WHERE (SELECT s.id FROM subscriber s WHERE s.provider_id = ? AND s.document = fresh.document LIMIT 1) IS NULL
		RETURNING document`, append(u.args, t.provider.ID)...)
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

func (t *tx) RestartEmails(ctx context.Context, id domain.SubscriberID, at time.Time) error {
	first, last := id.Services()
	return t.queue(ctx, `UPDATE job SET state = ?, attempts = 0, refused_since = 0, next_at = ? WHERE `+openOfSubscriber,
		domain.JobDue, micros(at), first, last, domain.EmailJob, domain.JobDone, domain.JobDead)
}

// openOfSubscriber selects open jobs of a kind by the primary key. With isOpen, the planner may choose
// the index job_open and read all open jobs of the kind.
const openOfSubscriber = `service_id BETWEEN ? AND ? AND kind = ? AND state NOT IN (?, ?)`

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
		t.queue(ctx, `DELETE FROM job WHERE service_id BETWEEN ? AND ?`, first, last),
		t.queue(ctx, `DELETE FROM activation_link WHERE service_id BETWEEN ? AND ?`, first, last),
		t.queue(ctx, `UPDATE idempotency_response SET response = ? WHERE subscriber_id = ?`, []byte{}, id),
		t.queue(ctx, `DELETE FROM subscriber WHERE id = ?`, id))
}

// Write implements rules.Tx.
func (t *tx) Write(ctx context.Context, c rules.Changes) error {
	for _, write := range []func() error{
		func() error { return t.insertServices(ctx, c.NewServices) },
		func() error { return t.updateServices(ctx, c.Services) },
		func() error { return t.insertOperations(ctx, c.NewOperations) },
		func() error { return t.updateOperations(ctx, c.Operations) },
		func() error { return t.insertEvents(ctx, c.Events) },
		func() error { return t.endIntervals(ctx, c.EndedIntervals) },
		func() error { return t.beginIntervals(ctx, c.NewIntervals) },
		func() error { return t.insertJobs(ctx, c.NewJobs) },
		func() error { return t.finishJobs(ctx, c.FinishedJobs) },
		func() error { return t.updateSchedules(ctx, c.Schedules) },
		func() error { return t.insertSchedules(ctx, c.NewSchedules) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) insertServices(ctx context.Context, all []domain.Service) error {
	return insert(ctx, t, `service`, `id, product_id, status_id, created_at, updated_at, operation_id, operation_kind, last_stable_status_id, previous_product_id, deferred_trigger, email_number`, all,
		func(row []any, s domain.Service) []any {
			return append(row, int64(s.ID), int64(s.ProductID), int64(s.Status), micros(s.CreatedAt), micros(s.UpdatedAt), int64(s.Operation), int64(s.Kind),
				int64(s.LastStable), int64(s.OtherProductID), int64(s.Deferred), int64(s.EmailNumber))
		})
}

func (t *tx) updateServices(ctx context.Context, all []domain.Service) error {
	return update(ctx, t, `service`, `product_id, status_id, updated_at, operation_id, operation_kind, last_stable_status_id, previous_product_id, deferred_trigger, email_number`, `id`, all,
		func(row []any, s domain.Service) []any {
			return append(row, int64(s.ProductID), int64(s.Status), micros(s.UpdatedAt), int64(s.Operation), int64(s.Kind), int64(s.LastStable), int64(s.OtherProductID),
				int64(s.Deferred), int64(s.EmailNumber), int64(s.ID))
		})
}

func (t *tx) insertOperations(ctx context.Context, all []domain.Operation) error {
	return insert(ctx, t, `operation`, `id, service_id, kind, state, product_id, partner_id, created_at, attempts, deadline, reason`, all,
		func(row []any, o domain.Operation) []any {
			return append(row, int64(o.ID), int64(o.Service), int64(o.Kind), int64(o.State), int64(o.ProductID), int64(o.Partner), micros(o.CreatedAt),
				int64(o.Attempts), nullIfZero(micros(o.Deadline)), o.Reason)
		})
}

func (t *tx) updateOperations(ctx context.Context, all []domain.OperationChange) error {
	return update(ctx, t, `operation`, `state, deadline, reason, attempts+`, `id`, all, func(row []any, o domain.OperationChange) []any {
		return append(row, int64(o.State), nullIfZero(micros(o.Deadline)), o.Reason, int64(o.AddAttempts), int64(o.ID))
	})
}

func (t *tx) insertJobs(ctx context.Context, all []domain.Job) error {
	return insert(ctx, t, `job`, `id, kind, destination, service_id, operation_id, sequence, state, attempts, created_at, next_at, last_error, urgent`, all,
		func(row []any, j domain.Job) []any {
			return append(row, int64(j.ID), int64(j.Kind), j.Destination, int64(j.Service), int64(j.Operation), int64(j.Sequence), int64(j.State), int64(j.Attempts),
				micros(j.CreatedAt), micros(j.NextAt), j.LastError, j.Urgent)
		})
}

func (t *tx) MarkLinkUsed(ctx context.Context, hash [32]byte, at time.Time) error {
	return t.queue(ctx, `UPDATE activation_link SET used_at = ? WHERE hash = ?`, micros(at), hash[:])
}
