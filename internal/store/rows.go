package store

import (
	"database/sql"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

const providerColumns = `id, name, active_limit, disabled, all_products, created_at, counted, queued, last_subscriber, last_operation, last_event, last_job`

func scanProvider(row interface{ Scan(...any) error }) (provision.Provider, error) {
	var p provision.Provider
	var created int64
	err := row.Scan(&p.ID, &p.Name, &p.Limit, &p.Disabled, &p.AllProducts, &created, &p.Counted, &p.Queued,
		&p.Subscribers, &p.Operations, &p.Events, &p.Jobs)
	p.CreatedAt = fromMicros(created)
	return p, err
}

const subscriberColumns = `s.id, s.document, s.name, s.email, s.phone, s.internet_speed_id, s.customer_plan, s.created_at`

func scanSubscriber(rows interface{ Scan(...any) error }, s *provision.Subscriber) error {
	var document uint64
	var created int64
	err := rows.Scan(&s.ID, &document, &s.Name, &s.Email, &s.Phone, &s.SpeedID, &s.Plan, &created)
	s.Document, s.CreatedAt = cpf.FromNumber(document), fromMicros(created)
	return err
}

const serviceColumns = `v.id, v.product_id, v.status_id, v.created_at, v.updated_at, v.operation_id, v.kind, v.stable_id, v.previous_id, v.deferred, v.link`

func scanService(rows interface{ Scan(...any) error }, s *provision.Service, more ...any) error {
	var created, updated int64
	err := rows.Scan(append([]any{&s.ID, &s.ProductID, &s.Status, &created, &updated, &s.Operation, &s.Kind, &s.Stable, &s.Previous, &s.Deferred, &s.Link}, more...)...)
	s.CreatedAt, s.UpdatedAt = fromMicros(created), fromMicros(updated)
	return err
}

const operationColumns = `o.id, o.service_id, o.kind, o.state, o.product_id, o.partner_id, o.created_at, o.attempts, o.deadline, o.reason`

func scanOperation(rows interface{ Scan(...any) error }, o *provision.Operation, more ...any) error {
	var created int64
	var deadline sql.NullInt64
	err := rows.Scan(append([]any{&o.ID, &o.Service, &o.Kind, &o.State, &o.ProductID, &o.Partner, &created, &o.Attempts, &deadline, &o.Reason}, more...)...)
	o.CreatedAt, o.Deadline = fromMicros(created), fromMicros(deadline.Int64)
	return err
}
