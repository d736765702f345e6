package store

import (
	"context"
	"database/sql"
	"errors"
	"sort"
	"strings"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

// tx is a transaction of the writer, bound to one provider or none.
type tx struct {
	db       *DB
	provider provision.Provider
	changes  []textChange // for the search index, after the commit
}

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

func (t *tx) load(ctx context.Context, id provision.ProviderID) (err error) {
	err = scanRow(ctx, t, `SELECT `+providerColumns+` FROM provider WHERE id = ?`, []any{id}, func(rows *sql.Rows) (err error) {
		t.provider, err = scanProvider(rows)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return &provision.Error{Code: provision.NotFound, Message: "no such provider"}
	}
	return err
}

// Provider implements provision.Tx.
func (t *tx) Provider() provision.Provider { return t.provider }

// SaveProvider implements provision.Tx.
func (t *tx) SaveProvider(ctx context.Context, p provision.Provider) error {
	return t.exec(ctx, `UPDATE provider SET active_limit = ?, disabled = ?, counted = ?, queued = ?, last_subscriber = ?,
		last_operation = ?, last_event = ?, last_job = ? WHERE id = ?`,
		p.Limit, p.Disabled, p.Counted, p.Queued, p.Subscribers, p.Operations, p.Events, p.Jobs, t.provider.ID)
}

// statement prepares a query once for the writer's connection.
func (t *tx) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := t.db.statements[query]; ok {
		return s, nil
	}
	s, err := t.db.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	t.db.statements[query] = s
	return s, nil
}

func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.ExecContext(ctx, query, args...)
	return err
}

// ExecContext runs a prepared statement of the transaction.
func (t *tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := t.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// QueryContext runs a prepared query of the transaction.
func (t *tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := t.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// scanRow reads the one row of a query; sql.ErrNoRows when there is none.
func scanRow(ctx context.Context, q querier, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	return scan(rows)
}

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

// chunkSize is one of the numbers of keys that one query takes: few, so that each
// is prepared once. A shorter list is filled up with its last key.
func chunkSize(n int) int {
	for _, size := range []int{1, 8, 64} {
		if n <= size {
			return size
		}
	}
	return 500
}

// each runs a query whose %s is a list of placeholders over all keys.
func each[K any](ctx context.Context, q querier, query string, before []any, keys []K, scan func(*sql.Rows) error) error {
	for len(keys) > 0 {
		size := chunkSize(len(keys))
		n := min(len(keys), size)
		args := append(make([]any, 0, len(before)+size), before...)
		for i := range size {
			args = append(args, keys[min(i, n-1)])
		}
		keys = keys[n:]
		marks := strings.TrimSuffix(strings.Repeat("?,", size), ",")
		if err := scanAll(ctx, q, strings.Replace(query, "%s", marks, 1), args, scan); err != nil {
			return err
		}
	}
	return nil
}

func scanAll(ctx context.Context, q querier, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// querier is a transaction or the readers.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
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

const operationColumns = `o.id, o.service_id, o.kind, o.state, o.product_id, o.partner_id, o.created_at, o.attempts, o.deadline, o.reason`

func scanOperation(rows interface{ Scan(...any) error }, o *provision.Operation, more ...any) error {
	var created int64
	var deadline sql.NullInt64
	err := rows.Scan(append([]any{&o.ID, &o.Service, &o.Kind, &o.State, &o.ProductID, &o.Partner, &created, &o.Attempts, &deadline, &o.Reason}, more...)...)
	o.CreatedAt, o.Deadline = fromMicros(created), fromMicros(deadline.Int64)
	return err
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

// insert writes rows as multi-row VALUES.
func insert[T any](ctx context.Context, t *tx, into string, columns int, rows []T, values func(T) []any) error {
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", columns), ",") + "),"
	for len(rows) > 0 {
		n := min(len(rows), 50)
		args := make([]any, 0, n*columns)
		for _, r := range rows[:n] {
			args = append(args, values(r)...)
		}
		rows = rows[n:]
		if err := t.exec(ctx, into+` VALUES `+strings.TrimSuffix(strings.Repeat(one, n), ","), args...); err != nil {
			return err
		}
	}
	return nil
}

// InsertSubscribers implements provision.Tx.
func (t *tx) InsertSubscribers(ctx context.Context, all []provision.Subscriber) (map[cpf.Document]bool, error) {
	documents := make([]cpf.Document, len(all))
	for i, s := range all {
		documents[i] = s.Document
	}
	have, err := t.Subscribers(ctx, documents)
	if err != nil {
		return nil, err
	}
	existing := map[cpf.Document]bool{}
	var fresh []provision.Subscriber
	for _, s := range all {
		if _, ok := have[s.Document]; ok {
			existing[s.Document] = true
			continue
		}
		fresh = append(fresh, s)
		t.changes = append(t.changes, textOf(s))
	}
	return existing, insert(ctx, t, `INSERT INTO subscriber (id, provider_id, document, name, email, phone, internet_speed_id, customer_plan, created_at)`, 9, fresh,
		func(s provision.Subscriber) []any {
			return []any{s.ID, t.provider.ID, s.Document.Number(), s.Name, s.Email, s.Phone, s.SpeedID, s.Plan, micros(s.CreatedAt)}
		})
}

// UpdateSubscriber implements provision.Tx.
func (t *tx) UpdateSubscriber(ctx context.Context, s provision.Subscriber) error {
	have, err := t.Subscribers(ctx, []cpf.Document{s.Document})
	if err != nil {
		return err
	}
	if other, ok := have[s.Document]; ok && other.ID != s.ID {
		return &provision.Error{Code: provision.SubscriberExists, Message: "a subscriber with this document exists"}
	}
	t.changes = append(t.changes, textOf(s))
	return t.exec(ctx, `UPDATE subscriber SET document = ?, name = ?, email = ?, phone = ?, internet_speed_id = ?, customer_plan = ? WHERE id = ?`,
		s.Document.Number(), s.Name, s.Email, s.Phone, s.SpeedID, s.Plan, s.ID)
}

// EraseSubscriber implements provision.Tx.
func (t *tx) EraseSubscriber(ctx context.Context, id provision.SubscriberID) error {
	first, last := id.Services()
	t.changes = append(t.changes, textChange{id: id})
	return errors.Join(
		t.exec(ctx, `DELETE FROM job WHERE service_id BETWEEN ? AND ?`, first, last),
		t.exec(ctx, `DELETE FROM link WHERE service_id BETWEEN ? AND ?`, first, last),
		t.exec(ctx, `DELETE FROM subscriber WHERE id = ?`, id))
}

// InsertServices implements provision.Tx.
func (t *tx) InsertServices(ctx context.Context, all []provision.Service) error {
	return insert(ctx, t, `INSERT INTO service (id, product_id, status_id, created_at, updated_at, operation_id, kind, stable_id, previous_id, deferred, link)`, 11, all,
		func(s provision.Service) []any {
			return []any{s.ID, s.ProductID, s.Status, micros(s.CreatedAt), micros(s.UpdatedAt), s.Operation, s.Kind, s.Stable, s.Previous, s.Deferred, s.Link}
		})
}

// UpdateServices implements provision.Tx.
func (t *tx) UpdateServices(ctx context.Context, all []provision.Service) error {
	for _, s := range all {
		if err := t.exec(ctx, `UPDATE service SET product_id = ?, status_id = ?, updated_at = ?, operation_id = ?, kind = ?, stable_id = ?, previous_id = ?, deferred = ?, link = ? WHERE id = ?`,
			s.ProductID, s.Status, micros(s.UpdatedAt), s.Operation, s.Kind, s.Stable, s.Previous, s.Deferred, s.Link, s.ID); err != nil {
			return err
		}
	}
	return nil
}

func null(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// InsertOperations implements provision.Tx.
func (t *tx) InsertOperations(ctx context.Context, all []provision.Operation) error {
	return insert(ctx, t, `INSERT INTO operation (id, service_id, kind, state, product_id, partner_id, created_at, attempts, deadline, reason)`, 10, all,
		func(o provision.Operation) []any {
			return []any{o.ID, o.Service, o.Kind, o.State, o.ProductID, o.Partner, micros(o.CreatedAt), o.Attempts, null(micros(o.Deadline)), o.Reason}
		})
}

// UpdateOperations implements provision.Tx.
func (t *tx) UpdateOperations(ctx context.Context, all []provision.OperationChange) error {
	for _, o := range all {
		if err := t.exec(ctx, `UPDATE operation SET state = ?, deadline = ?, reason = ?, attempts = attempts + ? WHERE id = ?`,
			o.State, null(micros(o.Deadline)), o.Reason, o.Asked, o.ID); err != nil {
			return err
		}
	}
	return nil
}

// InsertEvents implements provision.Tx.
func (t *tx) InsertEvents(ctx context.Context, all []provision.Event) error {
	return insert(ctx, t, `INSERT INTO event (id, at, type, subscriber_id, service_id, product_id, previous_id, status_id, trigger, actor, reason, operation_id)`, 12, all,
		func(e provision.Event) []any {
			return []any{e.ID, micros(e.At), e.Type, e.Subscriber, e.Service, e.ProductID, e.Previous, e.Status, e.Trigger, string(e.Actor), e.Reason, e.Operation}
		})
}

// InsertJobs implements provision.Tx.
func (t *tx) InsertJobs(ctx context.Context, all []provision.Job) error {
	return insert(ctx, t, `INSERT INTO job (id, kind, service_id, operation_id, link, state, attempts, created_at, next_at, last_error)`, 10, all,
		func(j provision.Job) []any {
			return []any{j.ID, j.Kind, j.Service, j.Operation, j.Link, j.State, j.Attempts, micros(j.CreatedAt), micros(j.NextAt), j.LastError}
		})
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

// UseLink implements provision.Tx.
func (t *tx) UseLink(ctx context.Context, hash [32]byte, at time.Time) error {
	return t.exec(ctx, `UPDATE link SET used_at = ? WHERE hash = ?`, micros(at), hash[:])
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

// SaveAnswer implements provision.Tx.
func (t *tx) SaveAnswer(ctx context.Context, a provision.StoredAnswer) error {
	return t.exec(ctx, `INSERT INTO answer (provider_id, key, fingerprint, answer, created_at) VALUES (?, ?, ?, ?, ?)`,
		t.provider.ID, a.Key[:], a.Fingerprint[:], a.Answer, micros(a.CreatedAt))
}
