package outbox

import (
	"context"
	"slices"

	"ativa/internal/service/domain"
)

// Retry makes deliveries that are dead or waiting for another attempt due now and resets their attempts.
// If one of them cannot be retried, it changes none and returns an *Error. Obsolete ones end when they are
// claimed.
func (q *Queue) Retry(ctx context.Context, ids []domain.DeliveryID) ([]domain.Delivery, error) {
	deliveries, err := q.store.Deliveries(ctx, domain.DeliveryFilter{IDs: ids})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		i := slices.IndexFunc(deliveries, func(d domain.Delivery) bool { return d.ID == id })
		switch {
		case i < 0:
			return nil, domain.RefusalOf(domain.SubjectDelivery, id.String(), domain.NotFound, "no delivery has this id")
		case deliveries[i].State == domain.OutboxLeased:
			return nil, domain.RefusalOf(domain.SubjectDelivery, id.String(), domain.NotWaiting, "it is under way")
		case deliveries[i].State == domain.OutboxDone:
			return nil, domain.RefusalOf(domain.SubjectDelivery, id.String(), domain.NotWaiting, "it is delivered")
		}
	}
	return q.reschedule(ctx, deliveries)
}

// reschedule makes deliveries due now and resets their attempts. It returns NotWaiting if a server has
// claimed one of them meanwhile.
func (q *Queue) reschedule(ctx context.Context, deliveries []domain.Delivery) ([]domain.Delivery, error) {
	if len(deliveries) == 0 {
		return nil, nil
	}
	now := q.clock.Now()
	for i := range deliveries {
		deliveries[i].State, deliveries[i].Attempts, deliveries[i].NextAt = domain.OutboxDue, 0, now
	}
	if err := q.store.RescheduleDeliveries(ctx, deliveries, now); err != nil {
		return nil, err
	}
	return deliveries, nil
}

// ReplayCallbacks makes the provider's dead callback deliveries due now, and returns them.
func (q *Queue) ReplayCallbacks(ctx context.Context, p domain.ProviderID) ([]domain.Delivery, error) {
	dead, err := q.store.Deliveries(ctx, domain.DeliveryFilter{States: []domain.OutboxState{domain.OutboxDead}, Kinds: []domain.DeliveryKind{domain.CallbackDelivery}, Provider: p})
	if err != nil {
		return nil, err
	}
	return q.reschedule(ctx, dead)
}
