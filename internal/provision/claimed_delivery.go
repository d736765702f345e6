package provision

import (
	"context"
	"slices"
	"time"
)

// ServiceDetails is a service with its subscriber, product and provider.
type ServiceDetails struct {
	Provider   Provider
	Subscriber Subscriber // zero once deleted
	Service    Service
	Product    Product
}

// Destination is where deliveries of a kind go: the mail server, a partner or a
// provider's callback. Each fails and is slow by itself.
type Destination struct {
	Kind     JobKind
	ID       int64    // a PartnerID or ProviderID; 0 for e-mails, and for products without a partner
	Partner  Partner  // for partner jobs: that of the operation, not the one that the product has now
	Callback Callback // for callback jobs; without URL when there is none
}

// ClaimedDelivery is a claimed job with everything that delivering it needs.
type ClaimedDelivery struct {
	Job
	ServiceDetails
	Destination Destination
	Brand       Brand  // for e-mail jobs
	LinkSecret  string // for e-mail and callback jobs, once Finish has prepared the attempt: the last path segment of the activation link

	operation Operation // for partner jobs
}

// DueDestinations returns the destinations of a kind that have due jobs.
func (m *Manager) DueDestinations(ctx context.Context, kind JobKind) ([]Destination, error) {
	ids, err := m.store.DueDestinations(ctx, kind, m.Now())
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	due := make([]Destination, len(ids))
	for i, id := range ids {
		due[i] = Destination{Kind: kind, ID: id}
	}
	switch kind {
	case PartnerJob:
		all, err := m.store.Partners(ctx)
		byID := indexBy(all, func(p Partner) int64 { return int64(p.ID) })
		for i := range due {
			due[i].Partner = byID[due[i].ID]
		}
		return due, err
	case CallbackJob:
		all, err := m.store.Callbacks(ctx)
		byProvider := indexBy(all, func(c Callback) int64 { return int64(c.Provider) })
		for i := range due {
			due[i].Callback = byProvider[due[i].ID]
		}
		return due, err
	}
	return due, nil
}

// maxClaim is the most jobs that are claimed at once to get past obsolete ones.
const maxClaim = 200

// Claim leases up to n due jobs to a destination for the given time. It finishes
// obsolete jobs without returning them: those replaced by a newer e-mail or
// request, and those of an ended service or a finished operation. It returns
// none only when none is due. While it finds obsolete jobs only, it claims
// twice as many as before, up to 200, and so may return more than n. Jobs to a
// simulated partner are due when its delay has passed.
func (m *Manager) Claim(ctx context.Context, to Destination, n int, lease time.Duration) ([]ClaimedDelivery, error) {
	for {
		now := m.Now()
		due := now
		if to.Partner.Driver == DriverSimulator {
			due = now.Add(-to.Partner.Delay)
		}
		jobs, err := m.store.ClaimJobs(ctx, to, n, due, now.Add(lease))
		if err != nil || len(jobs) == 0 {
			return nil, err
		}
		deliveries, err := m.finishObsolete(ctx, jobs, now)
		if err != nil {
			return nil, err
		}
		if len(deliveries) > 0 || len(jobs) < n {
			for i := range deliveries {
				deliveries[i].Destination = to
			}
			if to.Kind == EmailJob {
				err = m.addBrands(ctx, deliveries)
			}
			return deliveries, err
		}
		n = max(n, min(2*n, maxClaim))
	}
}

// finishObsolete finishes the obsolete ones of the claimed jobs and returns the
// others.
func (m *Manager) finishObsolete(ctx context.Context, jobs []Job, now time.Time) ([]ClaimedDelivery, error) {
	claimed, err := m.claimedDeliveries(ctx, jobs)
	if err != nil {
		return nil, err
	}
	var deliveries []ClaimedDelivery
	var obsolete []Job
	for _, d := range claimed {
		if d.obsolete() {
			d.Job.State, d.Job.NextAt = JobDone, now
			obsolete = append(obsolete, d.Job)
			continue
		}
		deliveries = append(deliveries, d)
	}
	if len(obsolete) == 0 {
		return deliveries, nil
	}
	return deliveries, m.store.FinishJobs(ctx, obsolete, nil)
}

// claimedDeliveries returns the jobs with the details of their services, in the
// same order.
func (m *Manager) claimedDeliveries(ctx context.Context, jobs []Job) ([]ClaimedDelivery, error) {
	var services []ServiceID
	var ids []OperationID
	for _, j := range jobs {
		services = append(services, j.Service)
		if j.Kind == PartnerJob {
			ids = append(ids, j.Operation)
		}
	}
	details, err := m.store.ServiceDetails(ctx, services)
	if err != nil {
		return nil, err
	}
	var operations []OperationEntry
	if len(ids) > 0 {
		if operations, err = m.store.ListOperations(ctx, OperationFilter{IDs: ids}); err != nil {
			return nil, err
		}
	}
	byID := indexBy(operations, func(o OperationEntry) OperationID { return o.ID })
	deliveries := make([]ClaimedDelivery, len(jobs))
	for i, j := range jobs {
		deliveries[i] = ClaimedDelivery{Job: j, ServiceDetails: details[j.Service], operation: byID[j.Operation].Operation}
	}
	return deliveries, nil
}

// obsolete reports whether there is nothing left to deliver.
func (d *ClaimedDelivery) obsolete() bool {
	s := d.ServiceDetails.Service
	if d.Subscriber.ID == 0 {
		return true
	}
	if d.Kind == PartnerJob {
		return s.Operation != d.Job.Operation || d.Sequence < d.operation.Attempts || s.Status.stable() || s.Status.Ended() || s.Status == InError
	}
	return s.EmailNumber != d.Sequence || s.Status != InProgress && s.Status != Active
}

func indexBy[K comparable, V any](all []V, key func(V) K) map[K]V {
	index := make(map[K]V, len(all))
	for _, v := range all {
		index[key(v)] = v
	}
	return index
}

// Finish writes State, NextAt, LastError, LastAttemptAt and RefusedSince of claimed
// jobs, adds one to their attempts, and prepares the attempts that come next: each gets a link
// of its own. The caller makes none of these when Finish returns an error.
func (m *Manager) Finish(ctx context.Context, jobs []Job, next []ClaimedDelivery) error {
	counted := slices.Clone(jobs) // the caller may call again with the same jobs
	for i := range counted {
		counted[i].Attempts++
	}
	var links []Link
	for i := range next {
		if next[i].Kind == PartnerJob {
			continue
		}
		var l Link
		l, next[i].LinkSecret = m.newLink(next[i].Job)
		links = append(links, l)
	}
	if len(counted)+len(links) == 0 {
		return nil
	}
	return m.store.FinishJobs(ctx, counted, links)
}

// GiveUp makes claimed jobs dead without an attempt, for the given reason.
func (m *Manager) GiveUp(ctx context.Context, jobs []Job, reason string) error {
	now := m.Now()
	for i := range jobs {
		jobs[i].State, jobs[i].NextAt, jobs[i].LastError = JobDead, now, reason
	}
	return m.store.FinishJobs(ctx, jobs, nil)
}

const (
	// soonEnough is how far ahead a time may be without being corrected: more than
	// clocks of servers differ by, and no harm where a clock was set back.
	soonEnough = 5 * time.Minute
	// longestWait is more than any delivery waits for its next attempt, except for
	// callbacks, whose waits grow to a day (decisions.md 8).
	longestWait = 70 * time.Minute
)

// CorrectSchedule makes those jobs due that were scheduled by a clock that was
// wrong by hours and has been set back since. They would wait until it shows the
// same time again.
func (m *Manager) CorrectSchedule(ctx context.Context) error {
	now := m.Now()
	return m.store.MakeFutureJobsDue(ctx, now, now.Add(soonEnough), now.Add(longestWait))
}

// SinceLastEvent returns how long ago the newest event of all providers happened, 0 where
// there is none. It is long where the service was away or nothing changed, and where
// the clock is ahead.
func (m *Manager) SinceLastEvent(ctx context.Context) (time.Duration, error) {
	at, err := m.store.LastEventTime(ctx)
	if err != nil || at.IsZero() {
		return 0, err
	}
	return m.Now().Sub(at), nil
}
