package outbox

import (
	"context"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

// DueDestinations returns the destinations of a kind that have due jobs.
func (q *Queue) DueDestinations(ctx context.Context, kind domain.JobKind) ([]domain.Destination, error) {
	ids, err := q.store.DueDestinations(ctx, kind, q.clock.Now())
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return q.destinations(ctx, kind, ids)
}

// destinations returns the destinations of a kind with the ids, in the same order.
func (q *Queue) destinations(ctx context.Context, kind domain.JobKind, ids []int64) ([]domain.Destination, error) {
	partners, callbacks := map[int64]domain.Partner{}, map[int64]domain.Callback{}
	switch kind {
	case domain.PartnerJob:
		all, err := q.store.Partners(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			partners[int64(p.ID)] = p
		}
	case domain.CallbackJob:
		all, err := q.store.Callbacks(ctx)
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			callbacks[int64(c.Provider)] = c
		}
	}
	to := make([]domain.Destination, len(ids))
	for i, id := range ids {
		to[i] = domain.Destination{Kind: kind, ID: id, Partner: partners[id], Callback: callbacks[id]}
	}
	return to, nil
}

// Claim leases up to n due jobs to a destination for the given time. It finishes obsolete jobs
// instead of returning them: those replaced by a newer e-mail or request, and those of an ended
// service or a finished operation. It returns none only if none is due. Jobs to a simulated
// partner are due after the partner's delay. The returned deliveries have the destination as it is
// after the claim, which may differ from to.
func (q *Queue) Claim(ctx context.Context, to domain.Destination, n int, lease time.Duration) ([]domain.ClaimedDelivery, error) {
	for size := n; ; size = max(size, min(2*size, maxClaim)) { // many obsolete ones take few steps
		now := q.clock.Now()
		due := now
		if to.Partner.Driver == domain.DriverSimulator {
			due = now.Add(-to.Partner.Delay)
		}
		jobs, err := q.store.ClaimJobs(ctx, to, size, due, now.Add(lease))
		if err != nil || len(jobs) == 0 {
			return nil, err
		}
		deliveries, err := q.finishObsolete(ctx, jobs, n, now)
		if err != nil {
			return nil, err
		}
		if len(deliveries) > 0 {
			return q.addDestination(ctx, to, deliveries)
		}
		if len(jobs) < size {
			return nil, nil
		}
	}
}

// addDestination sets the destination of the deliveries, as it is now, and the brands of e-mails.
func (q *Queue) addDestination(ctx context.Context, to domain.Destination, deliveries []domain.ClaimedDelivery) ([]domain.ClaimedDelivery, error) {
	now, err := q.destinations(ctx, to.Kind, []int64{to.ID})
	if err != nil {
		return nil, err
	}
	providers := make([]domain.ProviderID, len(deliveries))
	for i := range deliveries {
		deliveries[i].Destination, providers[i] = now[0], deliveries[i].Provider.ID
	}
	if to.Kind != domain.EmailJob {
		return deliveries, nil
	}
	slices.Sort(providers)
	brands, err := q.store.Brands(ctx, slices.Compact(providers))
	if err != nil {
		return nil, err
	}
	for i := range deliveries {
		deliveries[i].Brand = brands[deliveries[i].Provider.ID]
	}
	return deliveries, nil
}

// finishObsolete marks the obsolete jobs as done and returns up to n of the others. It makes the
// rest due again.
func (q *Queue) finishObsolete(ctx context.Context, jobs []domain.Job, n int, now time.Time) ([]domain.ClaimedDelivery, error) {
	claimed, err := q.claimedDeliveries(ctx, jobs)
	if err != nil {
		return nil, err
	}
	var deliveries []domain.ClaimedDelivery
	var unclaimed []domain.Job
	for _, d := range claimed {
		state := domain.JobDue
		if d.Obsolete() {
			state = domain.JobDone
		} else if len(deliveries) < n {
			deliveries = append(deliveries, d)
			continue
		}
		d.Job.State, d.Job.NextAt = state, now
		unclaimed = append(unclaimed, d.Job)
	}
	if len(unclaimed) == 0 {
		return deliveries, nil
	}
	return deliveries, q.store.FinishJobs(ctx, unclaimed, nil)
}

// claimedDeliveries returns the jobs with the details of their services, in the same order.
func (q *Queue) claimedDeliveries(ctx context.Context, jobs []domain.Job) ([]domain.ClaimedDelivery, error) {
	services := make([]domain.ServiceID, len(jobs))
	for i, j := range jobs {
		services[i] = j.Service
	}
	details, err := q.store.ServiceDetails(ctx, services)
	if err != nil {
		return nil, err
	}
	deliveries := make([]domain.ClaimedDelivery, len(jobs))
	for i, j := range jobs {
		deliveries[i] = domain.ClaimedDelivery{Job: j, ServiceDetails: details[j.Service]}
	}
	return deliveries, nil
}

// Finish writes State, NextAt, LastError, LastAttemptAt and RefusedSince of claimed jobs and adds
// one to their attempts. It also prepares the attempts in next: each e-mail or callback gets a new
// link, so that no secret is stored. All links of one e-mail work until one is used or a newer
// e-mail replaces them. If Finish returns an error, the caller must not make those attempts.
func (q *Queue) Finish(ctx context.Context, jobs []domain.Job, next []domain.ClaimedDelivery) error {
	counted := slices.Clone(jobs) // the caller may retry with the same jobs
	for i := range counted {
		counted[i].Attempts++
	}
	var links []domain.Link
	for i := range next {
		if next[i].Kind == domain.PartnerJob {
			continue
		}
		next[i].LinkSecret = domain.NewSecret()
		links = append(links, domain.Link{Hash: domain.HashSecret(next[i].LinkSecret), Job: next[i].Job.ID, Service: next[i].Job.Service,
			EmailNumber: next[i].Sequence, ExpiresAt: q.clock.Now().Add(domain.LinkLifetime)})
	}
	if len(counted)+len(links) == 0 {
		return nil
	}
	return q.store.FinishJobs(ctx, counted, links)
}

// GiveUp marks claimed jobs as dead without an attempt, for the given reason.
func (q *Queue) GiveUp(ctx context.Context, jobs []domain.Job, reason string) error {
	now := q.clock.Now()
	for i := range jobs {
		jobs[i].State, jobs[i].NextAt, jobs[i].LastError = domain.JobDead, now, reason
	}
	return q.store.FinishJobs(ctx, jobs, nil)
}
