package provision

import (
	"context"
	"slices"
)

// Deliveries lists jobs of the outbox, oldest first.
func (m *Manager) Deliveries(ctx context.Context, f JobFilter) ([]Delivery, error) {
	return m.store.Jobs(ctx, f)
}

// Retry makes deliveries due now that are dead or wait for another attempt,
// with a fresh schedule. Unless all of them can be, none is: a refusal says why.
func (m *Manager) Retry(ctx context.Context, ids []JobID) ([]Delivery, error) {
	jobs, err := m.store.Jobs(ctx, JobFilter{IDs: ids})
	if err != nil {
		return nil, err
	}
	owed, err := m.deliverable(ctx, jobs)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		i := slices.IndexFunc(jobs, func(d Delivery) bool { return d.ID == id })
		switch {
		case i < 0:
			return nil, &Error{Code: NotFound, Message: "no delivery has the id " + id.String()}
		case jobs[i].State == JobLeased:
			return nil, &Error{Code: NotWaiting, Message: id.String() + " is under way"}
		case jobs[i].State == JobDone:
			return nil, &Error{Code: NotWaiting, Message: id.String() + " is delivered"}
		case !owed[id]:
			return nil, &Error{Code: NotWaiting, Message: id.String() + " has nothing to tell any more: the service has moved on"}
		}
	}
	return m.reschedule(ctx, jobs)
}

// deliverable returns which of the jobs still have something to deliver.
func (m *Manager) deliverable(ctx context.Context, jobs []Delivery) (map[JobID]bool, error) {
	plain := make([]Job, len(jobs))
	for i, j := range jobs {
		plain[i] = j.Job
	}
	errands, err := m.claimedDeliveries(ctx, plain)
	owed := map[JobID]bool{}
	for _, e := range errands {
		owed[e.Job.ID] = !e.obsolete()
	}
	return owed, err
}

// reschedule makes jobs due with a fresh schedule, unless a server has taken one of
// them meanwhile.
func (m *Manager) reschedule(ctx context.Context, jobs []Delivery) ([]Delivery, error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	now := m.now()
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
