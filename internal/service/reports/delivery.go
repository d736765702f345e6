package reports

import (
	"context"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// SubscriberDeliveries returns the stored deliveries of a subscriber, newest first. It leaves out
// requests to manual partners, which are never sent.
func (r *Reports) SubscriberDeliveries(ctx context.Context, p domain.ProviderID, d cpf.Document) ([]domain.SubscriberDelivery, error) {
	s, err := r.Subscriber(ctx, p, d)
	if err != nil {
		return nil, err
	}
	return r.deliveries(ctx, s.ID)
}

func (r *Reports) deliveries(ctx context.Context, id domain.SubscriberID) ([]domain.SubscriberDelivery, error) {
	all, err := r.store.SubscriberDeliveries(ctx, id)
	kept := all[:0]
	for _, d := range all {
		if d.Kind != domain.PartnerDelivery || d.Driver == domain.DriverHTTP || d.Driver == domain.DriverSimulator {
			kept = append(kept, d)
		}
	}
	return kept, err
}
