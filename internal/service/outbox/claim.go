package outbox

import (
	"context"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

// DueDestinations returns the destinations of a kind that have due deliveries.
func (q *Queue) DueDestinations(ctx context.Context, kind domain.DeliveryKind) ([]domain.Destination, error) {
	ids, err := q.store.DueDestinations(ctx, kind, q.clock.Now())
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return q.destinations(ctx, kind, ids)
}

// destinations returns the destinations of a kind with the ids, in the same order.
func (q *Queue) destinations(ctx context.Context, kind domain.DeliveryKind, ids []int64) ([]domain.Destination, error) {
	partners, callbacks := map[int64]domain.Partner{}, map[int64]domain.Callback{}
	switch kind {
	case domain.PartnerDelivery:
		all, err := q.store.Partners(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			partners[int64(p.ID)] = p
		}
	case domain.CallbackDelivery:
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

// Claim leases up to n due deliveries to a destination for the given time. It finishes obsolete deliveries
// instead of returning them: those replaced by a newer e-mail or request, and those of an ended
// service or a finished operation. It returns none only if none is due. Deliveries to a simulated
// partner are due after the partner's delay. The returned deliveries have the destination as it is
// after the claim, which may differ from to.
func (q *Queue) Claim(ctx context.Context, to domain.Destination, n int, lease time.Duration) ([]domain.ClaimedDelivery, error) {
	for size := n; ; size = max(size, min(2*size, maxClaim)) { // many obsolete ones take few steps
		now := q.clock.Now()
		due := now
		if to.Partner.Driver == domain.DriverSimulator {
			due = now.Add(-to.Partner.Delay)
		}
		leased, err := q.store.ClaimDeliveries(ctx, to, size, due, now.Add(lease))
		if err != nil || len(leased) == 0 {
			return nil, err
		}
		deliveries, err := q.finishObsolete(ctx, leased, n, now)
		if err != nil {
			return nil, err
		}
		if len(deliveries) > 0 {
			return q.addDestination(ctx, to, deliveries)
		}
		if len(leased) < size {
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
	if to.Kind != domain.EmailDelivery {
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

// finishObsolete marks the obsolete deliveries as done and returns up to n of the others. It makes the
// rest due again.
func (q *Queue) finishObsolete(ctx context.Context, leased []domain.Delivery, n int, now time.Time) ([]domain.ClaimedDelivery, error) {
	claimed, err := q.claimedDeliveries(ctx, leased)
	if err != nil {
		return nil, err
	}
	var deliveries []domain.ClaimedDelivery
	var unclaimed []domain.Delivery
	for _, d := range claimed {
		state := domain.OutboxDue
		if d.Obsolete() {
			state = domain.OutboxDone
		} else if len(deliveries) < n {
			deliveries = append(deliveries, d)
			continue
		}
		d.Delivery.State, d.Delivery.NextAt = state, now
		unclaimed = append(unclaimed, d.Delivery)
	}
	if len(unclaimed) == 0 {
		return deliveries, nil
	}
	return deliveries, q.store.FinishDeliveries(ctx, unclaimed, nil)
}

// claimedDeliveries returns the deliveries with the details of their services, in the same order.
func (q *Queue) claimedDeliveries(ctx context.Context, deliveries []domain.Delivery) ([]domain.ClaimedDelivery, error) {
	services := make([]domain.ServiceID, len(deliveries))
	for i, d := range deliveries {
		services[i] = d.Service
	}
	details, err := q.store.ServiceDetails(ctx, services)
	if err != nil {
		return nil, err
	}
	claimed := make([]domain.ClaimedDelivery, len(deliveries))
	for i, d := range deliveries {
		claimed[i] = domain.ClaimedDelivery{Delivery: d, ServiceDetails: details[d.Service]}
	}
	return claimed, nil
}

// Finish writes State, NextAt, LastError, LastAttemptAt and RefusedSince of claimed deliveries and adds
// one to their attempts. It also prepares the attempts in next: each e-mail or callback gets a new
// link, so that no secret is stored. All links of one e-mail work until one is used or a newer
// e-mail replaces them. If Finish returns an error, the caller must not make those attempts.
func (q *Queue) Finish(ctx context.Context, deliveries []domain.Delivery, next []domain.ClaimedDelivery) error {
	counted := slices.Clone(deliveries) // the caller may retry with the same deliveries
	for i := range counted {
		counted[i].Attempts++
	}
	var links []domain.Link
	for i := range next {
		if next[i].Kind == domain.PartnerDelivery {
			continue
		}
		next[i].LinkSecret = domain.NewSecret()
		links = append(links, domain.Link{Hash: domain.HashSecret(next[i].LinkSecret), Delivery: next[i].Delivery.ID, Service: next[i].Delivery.Service,
			EmailNumber: next[i].Sequence, ExpiresAt: q.clock.Now().Add(domain.LinkLifetime)})
	}
	if len(counted)+len(links) == 0 {
		return nil
	}
	return q.store.FinishDeliveries(ctx, counted, links)
}

// GiveUp marks claimed deliveries as dead without an attempt, for the given reason.
func (q *Queue) GiveUp(ctx context.Context, deliveries []domain.Delivery, reason string) error {
	now := q.clock.Now()
	for i := range deliveries {
		deliveries[i].State, deliveries[i].NextAt, deliveries[i].LastError = domain.OutboxDead, now, reason
	}
	return q.store.FinishDeliveries(ctx, deliveries, nil)
}
