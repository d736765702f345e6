package provision

import (
	"context"
	"slices"
)

// Retry makes jobs that are dead, or wait for another attempt, due now with no
// attempts. It changes none and refuses when one of them cannot be retried.
func (m *Manager) Retry(ctx context.Context, ids []JobID) ([]Delivery, error) {
	jobs, err := m.store.Jobs(ctx, JobFilter{IDs: ids})
	if err != nil {
		return nil, err
	}
	deliverable, err := m.deliverable(ctx, jobs)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		i := slices.IndexFunc(jobs, func(d Delivery) bool { return d.ID == id })
		switch {
		case i < 0:
			return nil, &Error{Code: NotFound, Message: "no delivery has the id " + id.String()}
		case jobs[i].State == JobLeased:
			return nil, notWaiting(id, "it is under way")
		case jobs[i].State == JobDone:
			return nil, notWaiting(id, "it is delivered")
		case !deliverable[id]:
			return nil, notWaiting(id, "the service has moved on, so there is nothing to deliver any more")
		}
	}
	return m.reschedule(ctx, jobs)
}

// notWaiting refuses to retry a delivery.
func notWaiting(id JobID, why string) *Error {
	return &Error{Code: NotWaiting, Message: why, Fields: []FieldError{{id.String(), NotWaiting, why}}}
}

// deliverable returns which of the jobs are not obsolete.
func (m *Manager) deliverable(ctx context.Context, jobs []Delivery) (map[JobID]bool, error) {
	plain := make([]Job, len(jobs))
	for i, j := range jobs {
		plain[i] = j.Job
	}
	claimed, err := m.claimedDeliveries(ctx, plain)
	deliverable := map[JobID]bool{}
	for _, d := range claimed {
		deliverable[d.Job.ID] = !d.obsolete()
	}
	return deliverable, err
}

// reschedule makes jobs due now with no attempts. It refuses when a server has
// claimed one of them meanwhile.
func (m *Manager) reschedule(ctx context.Context, jobs []Delivery) ([]Delivery, error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	now := m.Now()
	ids := make([]JobID, len(jobs))
	for i := range jobs {
		jobs[i].State, jobs[i].Attempts, jobs[i].NextAt = JobDue, 0, now
		ids[i] = jobs[i].ID
	}
	if err := m.store.RescheduleJobs(ctx, ids, now); err != nil {
		return nil, err
	}
	m.options.Wake()
	return jobs, nil
}
