package store

import (
	"context"
	"database/sql"
	"math"
	"strings"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/provision"
)

const jobColumns = `j.id, j.kind, j.service_id, j.operation_id, j.link, j.state, j.attempts, j.created_at, j.next_at, j.last_error`

func scanJob(r row, j *provision.Job, more ...any) error {
	var created, next int64
	err := r.Scan(append([]any{&j.ID, &j.Kind, &j.Service, &j.Operation, &j.Link, &j.State, &j.Attempts, &created, &next, &j.LastError}, more...)...)
	j.CreatedAt, j.NextAt = fromMicros(created), fromMicros(next)
	return err
}

// ClaimJobs implements provision.Outbox.
func (db *DB) ClaimJobs(ctx context.Context, kinds []provision.JobKind, n int, now, until time.Time) ([]provision.Job, error) {
	var claimed []provision.Job
	err := db.change(ctx, func(ctx context.Context, t *tx) error {
		claimed = nil
		for _, kind := range kinds {
			jobs, err := list(ctx, t, func(r row, j *provision.Job) error { return scanJob(r, j) },
				`SELECT `+jobColumns+` FROM job j WHERE j.`+isOpen+` AND j.kind = ? AND j.next_at <= ? ORDER BY j.next_at, j.id LIMIT ?`+t.dialect().skipLocked, kind, micros(now), n-len(claimed))
			if err != nil {
				return err
			}
			for i := range jobs {
				jobs[i].State, jobs[i].NextAt = provision.JobLeased, until
			}
			claimed = append(claimed, jobs...)
		}
		return update(ctx, t, `job`, `state, next_at`, claimed, func(j provision.Job) []any {
			return []any{int64(j.State), micros(j.NextAt), int64(j.ID)}
		})
	})
	return claimed, err
}

// FinishJobs implements provision.Outbox.
func (db *DB) FinishJobs(ctx context.Context, jobs []provision.Job) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		return update(ctx, t, `job`, `state, attempts, next_at, last_error`, jobs, func(j provision.Job) []any {
			return []any{int64(j.State), int64(j.Attempts), micros(j.NextAt), j.LastError, int64(j.ID)}
		})
	})
}

// ReviveJobs implements provision.Outbox.
func (db *DB) ReviveJobs(ctx context.Context, ids []provision.JobID, at time.Time) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		for _, id := range ids {
			n, err := t.run(ctx, `UPDATE job SET state = ?, attempts = 0, next_at = ? WHERE id = ? AND state IN (?, ?)`,
				provision.JobDue, micros(at), id, provision.JobDue, provision.JobDead)
			if err == nil && n == 0 {
				err = &provision.Error{Code: provision.NotWaiting, Message: id.String() + " was taken or erased meanwhile; list the deliveries again"}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func in[T any](keys []T) (string, []any) {
	args := make([]any, len(keys))
	for i, k := range keys {
		args[i] = k
	}
	return `(` + marks(len(keys)) + `)`, args
}

type conditions struct {
	parts []string
	args  []any
}

func (c *conditions) in(column string, list string, args []any) {
	if len(args) > 0 {
		c.parts = append(c.parts, column+` IN `+list)
		c.args = append(c.args, args...)
	}
}

func (c *conditions) where() string {
	if len(c.parts) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(c.parts, ` AND `)
}

func limitOf(n int) int64 {
	if n == 0 {
		return math.MaxInt64
	}
	return int64(n)
}

// Jobs implements provision.Outbox.
func (db *DB) Jobs(ctx context.Context, f provision.JobFilter) ([]provision.Delivery, error) {
	var c conditions
	states, a := in(f.States)
	c.in(`j.state`, states, a)
	ids, a := in(f.IDs)
	c.in(`j.id`, ids, a)
	kinds, a := in(f.Kinds)
	c.in(`j.kind`, kinds, a)
	if f.Provider != 0 {
		first, last := f.Provider.Records()
		c.parts, c.args = append(c.parts, `j.id > ? AND j.id <= ?`), append(c.args, first, last)
	}
	if f.Of != 0 {
		first, last := f.Of.Services()
		c.parts, c.args = append(c.parts, `j.service_id BETWEEN ? AND ?`), append(c.args, first, last)
	}
	return list(ctx, db.read, func(r row, d *provision.Delivery) error {
		var document sql.NullInt64
		err := scanJob(r, &d.Job, &d.Provider, &document)
		if document.Valid {
			d.Document = string(cpf.FromNumber(uint64(document.Int64)))
		}
		return err
	}, `SELECT `+jobColumns+`, p.name, s.document FROM job j JOIN provider p ON p.id = j.id >> `+recordBits+` LEFT JOIN subscriber s ON s.id = j.service_id >> `+tokenBits+

		c.where()+` ORDER BY j.created_at, j.id LIMIT ?`, append(c.args, limitOf(f.Limit))...)
}

// InsertLinks implements provision.Outbox.
func (db *DB) InsertLinks(ctx context.Context, links []provision.Link) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		return insert(ctx, t, `link`, `hash, service_id, link, expires_at`, links, func(l provision.Link) []any {
			return []any{l.Hash[:], int64(l.Service), int64(l.Link), micros(l.ExpiresAt)}
		})
	})
}

// LinkByHash implements provision.Outbox.
func (db *DB) LinkByHash(ctx context.Context, hash [32]byte) (provision.Link, bool, error) {
	l := provision.Link{Hash: hash}
	var expires, used int64
	found, err := scanRow(ctx, db.read, `SELECT service_id, link, expires_at, used_at FROM link WHERE hash = ?`, []any{hash[:]}, into(&l.Service, &l.Link, &expires, &used))
	l.ExpiresAt, l.UsedAt = fromMicros(expires), fromMicros(used)
	return l, found, err
}

// Subjects implements provision.Outbox.
func (db *DB) Subjects(ctx context.Context, ids []provision.ServiceID) (map[provision.ServiceID]provision.Subject, error) {
	products, err := db.Products(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[int]provision.Product{}
	for _, p := range products {
		byID[p.ID] = p
	}
	providers, err := db.Providers(ctx)
	if err != nil {
		return nil, err
	}
	byProvider := map[provision.ProviderID]provision.Provider{}
	for _, p := range providers {
		byProvider[p.ID] = p
	}
	found := map[provision.ServiceID]provision.Subject{}
	err = each(ctx, db.read, `SELECT `+serviceColumns+`, s.id, s.document, s.name, s.email, s.phone, s.internet_speed_id, s.customer_plan, s.created_at
		FROM service v LEFT JOIN subscriber s ON s.id = v.id >> `+tokenBits+` WHERE v.id %s`, nil, ids, func(r row) error {
		var x provision.Subject
		var id, document, created, speed sql.NullInt64
		var name, email, phone, plan sql.NullString
		err := scanService(r, &x.Service, &id, &document, &name, &email, &phone, &speed, &plan, &created)
		if id.Valid {
			x.Subscriber = provision.Subscriber{ID: provision.SubscriberID(id.Int64), Document: cpf.FromNumber(uint64(document.Int64)), Name: name.String,
				Email: email.String, Phone: phone.String, SpeedID: int(speed.Int64), Plan: plan.String, CreatedAt: fromMicros(created.Int64)}
		}
		x.Product, x.Provider = byID[x.Service.ProductID], byProvider[x.Service.ID.Provider()]
		found[x.Service.ID] = x
		return err
	})
	return found, err
}

// OverdueOperations implements provision.Outbox.
func (db *DB) OverdueOperations(ctx context.Context, now time.Time, n int) ([]provision.Operation, error) {
	return list(ctx, db.read, func(r row, o *provision.Operation) error { return scanOperation(r, o) },
		`SELECT `+operationColumns+` FROM operation o WHERE o.deadline <= ? ORDER BY o.deadline LIMIT ?`, micros(now), n)
}

// ListOperations implements provision.Outbox.
func (db *DB) ListOperations(ctx context.Context, f provision.OperationFilter) ([]provision.OperationEntry, error) {
	var c conditions
	states, a := in(f.States)
	c.in(`o.state`, states, a)
	ids, a := in(f.IDs)
	c.in(`o.id`, ids, a)
	if !f.CreatedBefore.IsZero() {
		c.parts, c.args = append(c.parts, `o.created_at < ?`), append(c.args, micros(f.CreatedBefore))
	}
	if f.HoldingSlot {
		c.parts = append(c.parts, `EXISTS (SELECT 1 FROM service v WHERE v.id = o.service_id AND v.operation_id = o.id AND v.status_id = ?)`)
		c.args = append(c.args, provision.InProgress)
	}
	return list(ctx, db.read, func(r row, o *provision.OperationEntry) error {
		var partner sql.NullString
		var document sql.NullInt64
		err := scanOperation(r, &o.Operation, &o.Provider, &partner, &document)
		o.PartnerName = partner.String
		if document.Valid {
			o.Document = string(cpf.FromNumber(uint64(document.Int64)))
		}
		return err
	}, `SELECT `+operationColumns+`, p.name, a.name, s.document FROM operation o JOIN provider p ON p.id = o.id >> `+recordBits+`
		LEFT JOIN partner a ON a.id = o.partner_id LEFT JOIN subscriber s ON s.id = o.service_id >> `+tokenBits+c.where()+` ORDER BY o.created_at, o.id LIMIT ?`,
		append(c.args, limitOf(f.Limit))...)
}

// Backlogged implements provision.Outbox.
func (db *DB) Backlogged(ctx context.Context) ([]provision.ProviderID, error) {
	return list(ctx, db.read, func(r row, p *provision.ProviderID) error { return r.Scan(p) },
		`SELECT id FROM provider WHERE queued > 0 AND counted < active_limit`)
}
