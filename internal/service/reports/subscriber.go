package reports

import (
	"context"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Subscriber returns one subscriber with its services, or refuses with
// SubscriberNotFound.
func (r *Reports) Subscriber(ctx context.Context, p domain.ProviderID, d cpf.Document) (domain.SubscriberServices, error) {
	s, _, err := r.SubscriberWithProducts(ctx, p, d)
	return s, err
}

// SubscriberWithProducts is like [Reports.Subscriber] and also returns the products of the
// services, with only id, name and code.
func (r *Reports) SubscriberWithProducts(ctx context.Context, p domain.ProviderID, d cpf.Document) (domain.SubscriberServices, []domain.Product, error) {
	s, products, found, err := r.store.Subscriber(ctx, p, d)
	if err == nil && !found {
		err = domain.Refuse(domain.SubscriberNotFound)
	}
	return s, products, err
}

// PersonalData is everything stored about one subscriber, for an operator to hand out on the
// subscriber's request.
type PersonalData struct {
	domain.SubscriberServices
	Products   []domain.Product // of the services, with only id, name and code
	Enabled    []domain.EnabledInterval
	Schedules  []domain.Schedule
	History    []domain.Event
	Deliveries []domain.SubscriberDelivery
}

// PersonalData returns everything stored about a subscriber. It returns NotFound if the provider
// does not exist, and SubscriberNotFound.
func (r *Reports) PersonalData(ctx context.Context, provider string, d cpf.Document) (PersonalData, error) {
	p, err := r.store.ProviderByName(ctx, provider)
	if err != nil {
		return PersonalData{}, err
	}
	s, products, err := r.SubscriberWithProducts(ctx, p.ID, d)
	if err != nil {
		return PersonalData{}, err
	}
	enabled, err := r.store.Intervals(ctx, s.ID)
	if err != nil {
		return PersonalData{}, err
	}
	schedules, err := r.store.Schedules(ctx, domain.ScheduleQuery{Provider: p.ID, Subscriber: s.ID})
	if err != nil {
		return PersonalData{}, err
	}
	history, err := r.history(ctx, s.Subscriber)
	if err != nil {
		return PersonalData{}, err
	}
	deliveries, err := r.deliveries(ctx, s.ID)
	return PersonalData{s, products, enabled, schedules, history, deliveries}, err
}
