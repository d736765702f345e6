package outbox

import (
	"context"
	"slices"

	"ativa/internal/service/domain"
)

// Retry makes jobs that are dead or waiting for another attempt due now and resets their attempts.
// If one of them cannot be retried, it changes none and returns an *Error.
func (q *Queue) Retry(ctx context.Context, ids []domain.JobID) ([]domain.JobEntry, error) {
	jobs, err := q.store.Jobs(ctx, domain.JobFilter{IDs: ids})
	if err != nil {
		return nil, err
	}
	deliverable, err := q.deliverable(ctx, jobs)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		i := slices.IndexFunc(jobs, func(d domain.JobEntry) bool { return d.ID == id })
		switch {
		case i < 0:
			return nil, domain.RefusalOf(domain.SubjectDelivery, id.String(), domain.NotFound, "no delivery has this id")
		case jobs[i].State == domain.JobLeased:
			return nil, domain.RefusalOf(domain.SubjectDelivery, id.String(), domain.NotWaiting, "it is under way")
		case jobs[i].State == domain.JobDone:
			return nil, domain.RefusalOf(domain.SubjectDelivery, id.String(), domain.NotWaiting, "it is delivered")
		case !deliverable[id]:
			return nil, domain.RefusalOf(domain.SubjectDelivery, id.String(), domain.NotWaiting, "the service has moved on, so there is nothing to deliver any more")
		}
	}
	return q.reschedule(ctx, jobs)
}

// deliverable returns which of the jobs are not obsolete.
func (q *Queue) deliverable(ctx context.Context, jobs []domain.JobEntry) (map[domain.JobID]bool, error) {
	plain := make([]domain.Job, len(jobs))
	for i, j := range jobs {
		plain[i] = j.Job
	}
	claimed, err := q.claimedDeliveries(ctx, plain)
	deliverable := map[domain.JobID]bool{}
	for _, d := range claimed {
		deliverable[d.Job.ID] = !d.Obsolete()
	}
	return deliverable, err
}

// reschedule makes jobs due now and resets their attempts. It returns NotWaiting if a server has
// claimed one of them meanwhile.
func (q *Queue) reschedule(ctx context.Context, jobs []domain.JobEntry) ([]domain.JobEntry, error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	now := q.clock.Now()
	for i := range jobs {
		jobs[i].State, jobs[i].Attempts, jobs[i].NextAt = domain.JobDue, 0, now
	}
	if err := q.store.RescheduleJobs(ctx, jobs, now); err != nil {
		return nil, err
	}
	return jobs, nil
}

// ReplayCallbacks makes the provider's dead callback jobs due now, except obsolete ones, and returns them.
func (q *Queue) ReplayCallbacks(ctx context.Context, p domain.ProviderID) ([]domain.JobEntry, error) {
	dead, err := q.store.Jobs(ctx, domain.JobFilter{States: []domain.JobState{domain.JobDead}, Kinds: []domain.JobKind{domain.CallbackJob}, Provider: p})
	if err != nil {
		return nil, err
	}
	deliverable, err := q.deliverable(ctx, dead)
	if err != nil {
		return nil, err
	}
	return q.reschedule(ctx, slices.DeleteFunc(dead, func(d domain.JobEntry) bool { return !deliverable[d.ID] }))
}
