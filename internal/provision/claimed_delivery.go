package provision

import (
	"context"
	"slices"
	"time"
)

// ServiceDetails is all that a delivery needs to know of a service.
type ServiceDetails struct {
	Provider   Provider
	Subscriber Subscriber // zero once it is deleted
	Service    Service
	Product    Product
}

// ClaimedDelivery is a claimed job with everything its delivery needs.
type ClaimedDelivery struct {
	Job
	ServiceDetails
	Partner    Partner  // for partner jobs
	Callback   Callback // for callback jobs; without URL once it was taken away
	LinkSecret string   // for e-mails and callbacks: the freshly minted last part of the link

	attempts int // for partner jobs: how often the partner was to be asked so far
}

// maxClaim bounds a claim that grows because all jobs in front are obsolete.
const maxClaim = 200

// Claim leases up to n due jobs of the kind for the given time. Jobs that
// have lost their object meanwhile (a newer e-mail, an ended service, a
// superseded, failed or asked again operation) are finished silently. It
// returns none only when none is due: while a claim finds obsolete jobs alone,
// the next one is twice as large, and so it may return more than n.
func (m *Manager) Claim(ctx context.Context, kind JobKind, n int, lease time.Duration) ([]ClaimedDelivery, error) {
	for {
		now := m.now()
		jobs, err := m.store.ClaimJobs(ctx, kind, n, now, now.Add(lease))
		if err != nil || len(jobs) == 0 {
			return nil, err
		}
		deliveries, err := m.finishObsolete(ctx, jobs, now)
		if err != nil {
			return nil, err
		}
		if len(deliveries) > 0 || len(jobs) < n {
			return deliveries, m.addDetails(ctx, kind, deliveries)
		}
		n = max(n, min(2*n, maxClaim))
	}
}

// finishObsolete returns the claimed jobs that still have something to
// deliver, and finishes the others.
func (m *Manager) finishObsolete(ctx context.Context, jobs []Job, now time.Time) ([]ClaimedDelivery, error) {
	claimed, err := m.claimedDeliveries(ctx, jobs)
	if err != nil {
		return nil, err
	}
	var deliveries []ClaimedDelivery
	var obsolete []Job
	for _, e := range claimed {
		if e.obsolete() {
			e.Job.State, e.Job.NextAt = JobDone, now
			obsolete = append(obsolete, e.Job)
			continue
		}
		deliveries = append(deliveries, e)
	}
	if len(obsolete) == 0 {
		return deliveries, nil
	}
	return deliveries, m.store.FinishJobs(ctx, obsolete)
}

// claimedDeliveries returns the jobs with what they are about, in the same order.
func (m *Manager) claimedDeliveries(ctx context.Context, jobs []Job) ([]ClaimedDelivery, error) {
	var services []ServiceID
	var ids []OperationID
	for _, j := range jobs {
		services = append(services, j.Service)
		if j.Kind == PartnerJob {
			ids = append(ids, j.Operation)
		}
	}
	subjects, err := m.store.ServiceDetails(ctx, services)
	if err != nil {
		return nil, err
	}
	asks := map[OperationID]int{}
	if len(ids) > 0 {
		operations, err := m.store.ListOperations(ctx, OperationFilter{IDs: ids})
		if err != nil {
			return nil, err
		}
		for _, o := range operations {
			asks[o.ID] = o.Attempts
		}
	}
	deliveries := make([]ClaimedDelivery, len(jobs))
	for i, j := range jobs {
		deliveries[i] = ClaimedDelivery{Job: j, ServiceDetails: subjects[j.Service], attempts: asks[j.Operation]}
	}
	return deliveries, nil
}

// obsolete reports whether there is nothing to deliver any more.
func (e *ClaimedDelivery) obsolete() bool {
	s := e.ServiceDetails.Service
	if e.Subscriber.ID == 0 {
		return true
	}
	if e.Kind == PartnerJob {
		return s.Operation != e.Job.Operation || e.Sequence < e.attempts || s.Status.stable() || s.Status.Ended() || s.Status == InError
	}
	return s.EmailNumber != e.Sequence || s.Status != InProgress && s.Status != Active
}

// addDetails adds what the delivery of deliveries of one kind needs: partners,
// callbacks, links.
func (m *Manager) addDetails(ctx context.Context, kind JobKind, deliveries []ClaimedDelivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	switch kind {
	case PartnerJob:
		return m.addPartners(ctx, deliveries)
	case CallbackJob:
		if err := m.addCallbacks(ctx, deliveries); err != nil {
			return err
		}
	}
	links := make([]Link, len(deliveries))
	for i := range deliveries {
		links[i], deliveries[i].LinkSecret = m.newLink(deliveries[i].Job)
	}
	return m.store.InsertLinks(ctx, links)
}

func (m *Manager) addPartners(ctx context.Context, deliveries []ClaimedDelivery) error {
	all, err := m.store.Partners(ctx)
	byID := make(map[PartnerID]Partner, len(all))
	for _, p := range all {
		byID[p.ID] = p
	}
	for i := range deliveries {
		deliveries[i].Partner = byID[deliveries[i].Product.Partner]
	}
	return err
}

func (m *Manager) addCallbacks(ctx context.Context, deliveries []ClaimedDelivery) error {
	all, err := m.store.Callbacks(ctx)
	byProvider := make(map[ProviderID]Callback, len(all))
	for _, c := range all {
		byProvider[c.Provider] = c
	}
	for i := range deliveries {
		deliveries[i].Callback = byProvider[deliveries[i].Provider.ID]
	}
	return err
}

// Finish writes what became of claimed jobs: set State, NextAt and LastError
// of each; the attempt is counted here.
func (m *Manager) Finish(ctx context.Context, jobs []Job) error {
	counted := slices.Clone(jobs) // the caller may have to try again
	for i := range counted {
		counted[i].Attempts++
	}
	return m.store.FinishJobs(ctx, counted)
}

// Postpone gives claimed jobs back until their NextAt without counting an attempt.
func (m *Manager) Postpone(ctx context.Context, jobs []Job) error {
	for i := range jobs {
		jobs[i].State = JobDue
	}
	return m.store.FinishJobs(ctx, jobs)
}
