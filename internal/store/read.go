package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

func (db *DB) Update(ctx context.Context, p provision.ProviderID, fn func(context.Context, provision.Tx) error) error {
	return db.submit(ctx, p, func(ctx context.Context, t *tx) error { return fn(ctx, t) })
}

func (db *DB) Subscriber(ctx context.Context, p provision.ProviderID, d cpf.Document) (provision.SubscriberServices, bool, error) {
	var s provision.SubscriberServices
	err := scanSubscriber(db.read.QueryRowContext(ctx, `SELECT `+subscriberColumns+` FROM subscriber s WHERE s.provider_id = ? AND s.document = ?`, p, d.Number()), &s.Subscriber)
	if errors.Is(err, sql.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	services, err := servicesOf(ctx, db.read, []provision.SubscriberID{s.ID})
	s.Services = services[s.ID]
	return s, err == nil, err
}

func (db *DB) CountSubscribers(ctx context.Context, p provision.ProviderID) (n int, err error) {
	first, last := p.Subscribers()
	err = db.read.QueryRowContext(ctx, `SELECT count(*) FROM subscriber WHERE id BETWEEN ? AND ?`, first, last).Scan(&n)
	return n, err
}

// after reads up to limit subscribers with their services after an id.
func (db *DB) after(ctx context.Context, p provision.ProviderID, after provision.SubscriberID, offset, limit int) ([]provision.SubscriberServices, error) {
	_, last := p.Subscribers()
	rows, err := db.read.QueryContext(ctx, `SELECT `+subscriberColumns+` FROM subscriber s WHERE s.id > ? AND s.id <= ? ORDER BY s.id LIMIT ? OFFSET ?`, after, last, limit, offset)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []provision.SubscriberServices
	for rows.Next() {
		var s provision.SubscriberServices
		if err := scanSubscriber(rows, &s.Subscriber); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil || len(all) == 0 {
		return all, err
	}
	first, _ := all[0].ID.Services()
	_, end := all[len(all)-1].ID.Services()
	services, err := db.read.QueryContext(ctx, `SELECT `+serviceColumns+` FROM service v WHERE v.id BETWEEN ? AND ? ORDER BY v.id`, first, end)
	if err != nil {
		return nil, err
	}
	defer services.Close()
	i := 0
	for services.Next() {
		var v provision.Service
		if err := scanService(services, &v); err != nil {
			return nil, err
		}
		for i < len(all) && all[i].ID < v.ID.Subscriber() {
			i++
		}
		if i < len(all) && all[i].ID == v.ID.Subscriber() {
			all[i].Services = append(all[i].Services, v)
		}
	}
	return all, services.Err()
}

func (db *DB) SubscriberPage(ctx context.Context, p provision.ProviderID, offset, limit int) ([]provision.SubscriberServices, error) {
	first, _ := p.Subscribers()
	return db.after(ctx, p, first, offset, limit)
}

func (db *DB) EachSubscriber(ctx context.Context, p provision.ProviderID, fn func(*provision.SubscriberServices) error) error {
	last, _ := p.Subscribers()
	for {
		all, err := db.after(ctx, p, last, 0, 1000)
		if err != nil || len(all) == 0 {
			return err
		}
		for i := range all {
			if err := fn(&all[i]); err != nil {
				return err
			}
		}
		last = all[len(all)-1].ID
	}
}

func (db *DB) Search(ctx context.Context, p provision.ProviderID, t provision.Term, offset, limit int) ([]provision.SubscriberServices, int, error) {
	var found []provision.SubscriberServices
	total := 0
	err := db.EachSubscriber(ctx, p, func(s *provision.SubscriberServices) error {
		if !matches(t, s.Subscriber) {
			return nil
		}
		if total >= offset && (limit == 0 || len(found) < limit) {
			found = append(found, *s)
		}
		total++
		return nil
	})
	return found, total, err
}

func matches(t provision.Term, s provision.Subscriber) bool {
	if t.Digits != "" && (strings.Contains(string(s.Document), t.Digits) || strings.Contains(cpf.Digits(s.Phone), t.Digits)) {
		return true
	}
	if strings.Contains(provision.Fold(s.Email), t.Whole) {
		return true
	}
	name := provision.Fold(s.Name)
	for _, w := range t.Words {
		if !strings.Contains(name, w) {
			return false
		}
	}
	return true
}

const eventColumns = `e.id, e.at, e.type, e.subscriber_id, e.service_id, e.product_id, e.previous_id, e.status_id, e.trigger, e.actor, e.reason, e.operation_id, s.document
	FROM event e LEFT JOIN subscriber s ON s.id = e.subscriber_id`

func scanEvents(rows *sql.Rows, err error) ([]provision.Event, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []provision.Event
	for rows.Next() {
		var e provision.Event
		var at int64
		var document sql.NullInt64
		if err := rows.Scan(&e.ID, &at, &e.Type, &e.Subscriber, &e.Service, &e.ProductID, &e.Previous, &e.Status, &e.Trigger, &e.Actor, &e.Reason, &e.Operation, &document); err != nil {
			return nil, err
		}
		e.At = fromMicros(at)
		if document.Valid {
			e.Document = string(cpf.FromNumber(uint64(document.Int64)))
		}
		all = append(all, e)
	}
	return all, rows.Err()
}

func (db *DB) History(ctx context.Context, id provision.SubscriberID) ([]provision.Event, error) {
	return scanEvents(db.read.QueryContext(ctx, `SELECT `+eventColumns+` WHERE e.subscriber_id = ? ORDER BY e.id`, id))
}

func (db *DB) Events(ctx context.Context, p provision.ProviderID, after provision.EventID, limit int) ([]provision.Event, error) {
	first, last := p.Records()
	return scanEvents(db.read.QueryContext(ctx, `SELECT `+eventColumns+` WHERE e.id > ? AND e.id <= ? ORDER BY e.id LIMIT ?`, max(int64(after), first), last, limit))
}

func (db *DB) InternetSpeeds(ctx context.Context) ([]provision.InternetSpeed, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT id, speed, slug FROM internet_speed ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []provision.InternetSpeed
	for rows.Next() {
		var s provision.InternetSpeed
		if err := rows.Scan(&s.ID, &s.Speed, &s.Slug); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}
