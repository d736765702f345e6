package store

import (
	"context"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

const jobColumns = `j.id, j.kind, j.destination, j.service_id, j.operation_id, j.sequence, j.state, j.attempts, j.created_at, j.next_at, j.next_at, j.last_error, j.attempted_at, j.opened_at, j.urgent, j.refused_since`

func jobTargets(j *domain.Job) []any {
	return []any{&j.ID, &j.Kind, &j.Destination, &j.Service, &j.Operation, &j.Sequence, &j.State, &j.Attempts, asTime(&j.CreatedAt), asTime(&j.NextAt), asTime(&j.ReadNextAt),
		&j.LastError, asTime(&j.LastAttemptAt), asTime(&j.OpenedAt), &j.Urgent, asTime(&j.RefusedSince)}
}

func (t *tx) insertJobs(ctx context.Context, all []domain.Job) error {
	return insert(ctx, t, `job`, `id, kind, destination, service_id, operation_id, sequence, state, attempts, created_at, next_at, last_error, urgent`, all,
		func(row []any, j domain.Job) []any {
			return append(row, int64(j.ID), int64(j.Kind), j.Destination, int64(j.Service), int64(j.Operation), int64(j.Sequence), int64(j.State), int64(j.Attempts),
				micros(j.CreatedAt), micros(j.NextAt), j.LastError, j.Urgent)
		})
}

// DueDestinations implements outbox.QueueStore. It walks the index job_open, one look-up per
// destination however many jobs wait.
func (db *DB) DueDestinations(ctx context.Context, kind domain.JobKind, now time.Time) ([]int64, error) {
	return list(ctx, db.read, only[int64], dueDestinations, kind, kind, kind, micros(now))
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
			more, err := list(ctx, t, jobTargets, claimableJobs(urgency)+t.dialect().skipLocked, to.Kind, to.ID, micros(due), n-len(jobs))
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
		return update(ctx, t, `UPDATE job SET state = ?, next_at = ? WHERE service_id = ? AND id = ?`, claimed, func(row []any, j domain.Job) []any {
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
	return update(ctx, t, `UPDATE job SET state = ?, attempts = ?, next_at = ?, last_error = ?, attempted_at = ?, refused_since = ? WHERE next_at = ? AND service_id = ? AND id = ?`, jobs, func(row []any, j domain.Job) []any {
		return append(row, int64(j.State), int64(j.Attempts), micros(j.NextAt), j.LastError, micros(j.LastAttemptAt), micros(j.RefusedSince),
			micros(j.ReadNextAt), int64(j.Service), int64(j.ID))
	})
}

func (t *tx) HeldJobs(ctx context.Context, jobs []domain.Job) (map[domain.JobID]bool, error) {
	services, leases := make([]domain.ServiceID, len(jobs)), make(map[domain.JobID]int64, len(jobs))
	for i, j := range jobs {
		services[i], leases[j.ID] = j.Service, micros(j.ReadNextAt)
	}
	open, err := listByKeys(ctx, t, func(j *domain.Job) []any { return []any{&j.ID, asTime(&j.NextAt)} },
		`SELECT id, next_at FROM job WHERE service_id %s AND `+isOpen+t.dialect().skipLocked, services)
	held := map[domain.JobID]bool{}
	for _, j := range open {
		lease, asked := leases[j.ID]
		held[j.ID] = asked && lease == micros(j.NextAt)
	}
	return held, err
}

func (t *tx) RestartEmails(ctx context.Context, id domain.SubscriberID, at time.Time) error {
	first, last := id.Services()
	return t.queue(ctx, `UPDATE job SET state = ?, attempts = 0, refused_since = 0, next_at = ? WHERE `+openOfSubscriber,
		domain.JobDue, micros(at), first, last, domain.EmailJob, domain.JobDone, domain.JobDead)
}

// openOfSubscriber selects open jobs of a kind by the primary key. With isOpen, the planner may choose
// the index job_open and read all open jobs of the kind.
const openOfSubscriber = `service_id BETWEEN ? AND ? AND kind = ? AND state NOT IN (?, ?)`

// RescheduleJobs implements outbox.QueueStore.
func (db *DB) RescheduleJobs(ctx context.Context, jobs []domain.JobEntry, at time.Time) error {
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
func (db *DB) Jobs(ctx context.Context, f domain.JobFilter) ([]domain.JobEntry, error) {
	var c whereClause
	addIn(&c, db.read.dialect(), `j.state`, f.States)
	addIn(&c, db.read.dialect(), `j.id`, f.IDs)
	addIn(&c, db.read.dialect(), `j.kind`, f.Kinds)
	if f.Provider != 0 {
		first, last := f.Provider.Records()
		c.add(`j.id > ? AND j.id <= ?`, first, last)
	}
	return list(ctx, db.read, func(d *domain.JobEntry) []any {
		return append(jobTargets(&d.Job), &d.Provider, asDocument(&d.Document))
	}, `SELECT `+jobColumns+`, p.name, s.document FROM job j JOIN provider p ON p.id = j.id >> `+recordBits+` LEFT JOIN subscriber s ON s.id = j.service_id >> `+tokenBits+
		c.sql()+` ORDER BY j.created_at, j.id`, c.args...)
}

// SubscriberDeliveries implements reports.Store.
func (db *DB) SubscriberDeliveries(ctx context.Context, id domain.SubscriberID) ([]domain.SubscriberDelivery, error) {
	first, last := id.Services()
	return list(ctx, db.read, func(d *domain.SubscriberDelivery) []any {
		return slices.Concat(jobTargets(&d.Job), operationTargets(&d.Operation), only(&d.Driver), serviceTargets(&d.Service))
	}, subscriberDeliveries, first, last)
}

// subscriberDeliveries uses the primary key of job.
const subscriberDeliveries = `SELECT ` + jobColumns + `, ` + operationColumns + `, COALESCE(a.driver, ''), ` + serviceColumns + `
	FROM job j
	JOIN service v ON v.id = j.service_id
	JOIN operation o ON o.id = j.operation_id
	LEFT JOIN partner a ON a.id = o.partner_id
	WHERE j.service_id BETWEEN ? AND ?
	ORDER BY j.id DESC`
