package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// jobKey is the primary key of job.
const jobKey = `service_id, id`

const jobColumns = `j.id, j.kind, j.destination, j.service_id, j.operation_id, j.sequence, j.state, j.attempts, j.created_at, j.next_at, j.last_error, j.attempted_at, j.opened_at, j.urgent, j.refused_since`

func scanJob(r row, j *domain.Job, more ...any) error {
	var created, next, attempted, opened, refused int64
	err := r.Scan(append([]any{&j.ID, &j.Kind, &j.Destination, &j.Service, &j.Operation, &j.Sequence, &j.State, &j.Attempts, &created, &next, &j.LastError, &attempted, &opened, &j.Urgent, &refused}, more...)...)
	j.CreatedAt, j.NextAt, j.ReadNextAt = fromMicros(created), fromMicros(next), fromMicros(next)
	j.LastAttemptAt, j.OpenedAt, j.RefusedSince = fromMicros(attempted), fromMicros(opened), fromMicros(refused)
	return err
}

// DueDestinations implements outbox.QueueStore. It walks the index job_open, one look-up per
// destination however many jobs wait.
func (db *DB) DueDestinations(ctx context.Context, kind domain.JobKind, now time.Time) ([]int64, error) {
	return list(ctx, db.read, func(r row, id *int64) error { return r.Scan(id) }, dueDestinations, kind, kind, kind, micros(now))
}

const dueDestinations = `WITH RECURSIVE d(id) AS (
		SELECT MIN(destination) FROM job WHERE ` + isOpen + ` AND kind = ?
		UNION ALL
		SELECT (SELECT MIN(j.destination) FROM job j WHERE j.` + isOpen + ` AND j.kind = ? AND j.destination > d.id) FROM d WHERE d.id IS NOT NULL
	)
	SELECT d.id FROM d
	WHERE d.id IS NOT NULL AND (SELECT MIN(j.next_at) FROM job j WHERE j.` + isOpen + ` AND j.kind = ? AND j.destination = d.id) <= ?`

// ClaimJobs implements outbox.QueueStore.
func (db *DB) ClaimJobs(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Job, error) {
	var claimed []domain.Job
	err := db.write(ctx, func(ctx context.Context, t *tx) error {
		var jobs []domain.Job
		for _, urgency := range []string{`j.urgent`, `NOT j.urgent`} {
			more, err := list(ctx, t, func(r row, j *domain.Job) error { return scanJob(r, j) },
				claimableJobs(urgency)+t.dialect().skipLocked, to.Kind, to.ID, micros(due), n-len(jobs))
			if err != nil {
				return err
			}
			if jobs = append(jobs, more...); len(jobs) == n {
				break
			}
		}
		for i := range jobs {
			jobs[i].State, jobs[i].NextAt, jobs[i].ReadNextAt = domain.JobLeased, until, until
		}
		claimed = jobs
		return update(ctx, t, `job`, `state, next_at`, jobKey, claimed, func(row []any, j domain.Job) []any {
			return append(row, int64(j.State), micros(j.NextAt), int64(j.Service), int64(j.ID))
		})
	})
	return claimed, err
}

// claimableJobs returns the query of due jobs, which walks the index job_urgent or job_open.
func claimableJobs(urgency string) string {
	return `SELECT ` + jobColumns + ` FROM job j WHERE j.` + isOpen + ` AND ` + urgency + ` AND j.kind = ? AND j.destination = ? AND j.next_at <= ? ORDER BY j.next_at, j.service_id, j.id LIMIT ?`
}

// FinishJobs implements outbox.QueueStore.
func (db *DB) FinishJobs(ctx context.Context, jobs []domain.Job, links []domain.Link) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		if err := t.finishJobs(ctx, jobs); err != nil {
			return err
		}
		return insert(ctx, t, `activation_link`, `hash, job_id, service_id, email_number, expires_at`, links, func(row []any, l domain.Link) []any {
			return append(row, l.Hash[:], int64(l.Job), int64(l.Service), int64(l.EmailNumber), micros(l.ExpiresAt))
		})
	})
}

func (t *tx) finishJobs(ctx context.Context, jobs []domain.Job) error {
	return update(ctx, t, `job`, `state, attempts, next_at, last_error, attempted_at, refused_since`, `next_at, `+jobKey, jobs, func(row []any, j domain.Job) []any {
		return append(row, int64(j.State), int64(j.Attempts), micros(j.NextAt), j.LastError, micros(j.LastAttemptAt), micros(j.RefusedSince),
			micros(j.ReadNextAt), int64(j.Service), int64(j.ID))
	})
}

func (t *tx) HeldJobs(ctx context.Context, jobs []domain.Job) (map[domain.JobID]bool, error) {
	services, leases := make([]domain.ServiceID, len(jobs)), make(map[domain.JobID]int64, len(jobs))
	for i, j := range jobs {
		services[i], leases[j.ID] = j.Service, micros(j.ReadNextAt)
	}
	held := map[domain.JobID]bool{}
	err := queryByKeys(ctx, t, `SELECT id, next_at FROM job WHERE service_id %s AND `+isOpen+t.dialect().skipLocked, nil, services, func(r row) error {
		var id domain.JobID
		var next int64
		err := r.Scan(&id, &next)
		lease, asked := leases[id]
		held[id] = asked && lease == next
		return err
	})
	return held, err
}

// SubscriberDeliveries implements reports.Store.
func (db *DB) SubscriberDeliveries(ctx context.Context, id domain.SubscriberID) ([]domain.SubscriberDelivery, error) {
	first, last := id.Services()
	return list(ctx, db.read, scanSubscriberDelivery, subscriberDeliveries, first, last)
}

// subscriberDeliveries goes down the primary key of job.
const subscriberDeliveries = `SELECT ` + jobColumns + `, ` + operationColumns + `, COALESCE(a.driver, ''), ` + serviceColumns + `
	FROM job j
	JOIN service v ON v.id = j.service_id
	JOIN operation o ON o.id = j.operation_id
	LEFT JOIN partner a ON a.id = o.partner_id
	WHERE j.service_id BETWEEN ? AND ?
	ORDER BY j.id DESC`

func scanSubscriberDelivery(r row, d *domain.SubscriberDelivery) error {
	var times serviceTimes
	o := &d.Operation
	var created int64
	var deadline sql.NullInt64
	operation := []any{&o.ID, &o.Service, &o.Kind, &o.State, &o.ProductID, &o.Partner, &created, &o.Attempts, &deadline, &o.Reason, &d.Driver}
	err := scanJob(r, &d.Job, append(operation, serviceTargets(&d.Service, &times)...)...)
	d.Service = times.of(d.Service)
	o.CreatedAt, o.Deadline = fromMicros(created), fromMicros(deadline.Int64)
	return err
}

// MarkOpened implements rules.Store.
func (db *DB) MarkOpened(ctx context.Context, l domain.Link, at time.Time) error {
	return db.exec(ctx, `UPDATE job SET opened_at = ? WHERE service_id = ? AND id = ? AND opened_at = 0`, micros(at), l.Service, l.Job)
}

// RescheduleJobs implements outbox.QueueStore.
func (db *DB) RescheduleJobs(ctx context.Context, jobs []domain.Delivery, at time.Time) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		for _, j := range jobs {
			n, err := t.execRows(ctx, `UPDATE job SET state = ?, attempts = 0, refused_since = 0, next_at = ? WHERE service_id = ? AND id = ? AND state IN (?, ?)`,
				domain.JobDue, micros(at), j.Service, j.ID, domain.JobDue, domain.JobDead)
			if err == nil && n == 0 {
				err = &domain.Error{Code: domain.NotWaiting, Message: j.ID.String() + " was taken or erased meanwhile; list the deliveries again"}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Jobs implements outbox.QueueStore.
func (db *DB) Jobs(ctx context.Context, f domain.JobFilter) ([]domain.Delivery, error) {
	var c whereClause
	addIn(&c, `j.state`, f.States)
	addIn(&c, `j.id`, f.IDs)
	addIn(&c, `j.kind`, f.Kinds)
	if f.Provider != 0 {
		first, last := f.Provider.Records()
		c.add(`j.id > ? AND j.id <= ?`, first, last)
	}
	return list(ctx, db.read, func(r row, d *domain.Delivery) error {
		var document sql.NullInt64
		err := scanJob(r, &d.Job, &d.Provider, &document)
		d.Document = documentText(document)
		return err
	}, `SELECT `+jobColumns+`, p.name, s.document FROM job j JOIN provider p ON p.id = j.id >> `+recordBits+` LEFT JOIN subscriber s ON s.id = j.service_id >> `+tokenBits+
		c.sql()+` ORDER BY j.created_at, j.id`, c.args...)
}

// LinkByHash implements rules.Store.
func (db *DB) LinkByHash(ctx context.Context, hash [32]byte) (domain.Link, bool, error) {
	l := domain.Link{Hash: hash}
	var expires, used int64
	found, err := queryRow(ctx, db.read, `SELECT l.job_id, l.service_id, l.email_number, l.expires_at, l.used_at, COALESCE(j.opened_at, 0) > 0
		FROM activation_link l LEFT JOIN job j ON j.service_id = l.service_id AND j.id = l.job_id WHERE l.hash = ?`, []any{hash[:]},
		scanInto(&l.Job, &l.Service, &l.EmailNumber, &expires, &used, &l.Opened))
	l.ExpiresAt, l.UsedAt = fromMicros(expires), fromMicros(used)
	return l, found, err
}

// ServiceDetails implements outbox.QueueStore.
func (db *DB) ServiceDetails(ctx context.Context, ids []domain.ServiceID) (map[domain.ServiceID]domain.ServiceDetails, error) {
	products, err := db.Products(ctx)
	if err != nil {
		return nil, err
	}
	byID := map[int]domain.Product{}
	for _, p := range products {
		byID[p.ID] = p
	}
	var sellers []domain.ProviderID
	for _, id := range ids {
		sellers = append(sellers, id.Provider())
	}
	slices.Sort(sellers)
	byProvider, err := mapByKeys(ctx, db.read, `SELECT `+providerColumns+` FROM provider WHERE id %s`, slices.Compact(sellers),
		scanProvider, func(p *domain.Provider) domain.ProviderID { return p.ID })
	if err != nil {
		return nil, err
	}
	found := map[domain.ServiceID]domain.ServiceDetails{}
	err = queryByKeys(ctx, db.read, `SELECT `+serviceColumns+`, o.attempts, `+subscriberColumns+`
		FROM service v
		JOIN operation o ON o.id = v.operation_id
		LEFT JOIN subscriber s ON s.id = v.id >> `+tokenBits+`
		WHERE v.id %s`, nil, ids, func(r row) error {
		var x domain.ServiceDetails
		var id, document, created, speed sql.NullInt64
		var name, email, phone, plan sql.NullString
		err := scanService(r, &x.Service, &x.Requests, &id, &document, &name, &email, &phone, &speed, &plan, &created)
		if id.Valid {
			x.Subscriber = domain.Subscriber{ID: domain.SubscriberID(id.Int64), Document: cpf.FromNumber(uint64(document.Int64)), Name: name.String,
				Email: email.String, Phone: phone.String, SpeedID: int(speed.Int64), Plan: plan.String, CreatedAt: fromMicros(created.Int64)}
		}
		x.Product, x.Provider = byID[x.Service.ProductID], byProvider[x.Service.ID.Provider()]
		found[x.Service.ID] = x
		return err
	})
	return found, err
}
