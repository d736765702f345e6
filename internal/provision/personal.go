package provision

import (
	"context"

	"ativa/internal/cpf"
)

// PersonalData is all that is kept about one subscriber: what an operator
// hands out when the subscriber asks for it.
type PersonalData struct {
	SubscriberServices
	History    []Event
	Deliveries []Delivery
}

// PersonalData reads all that is kept about a subscriber of a provider, and
// refuses with NotFound or SubscriberNotFound.
func (m *Manager) PersonalData(ctx context.Context, provider string, d cpf.Document) (PersonalData, error) {
	p, err := m.store.ProviderByName(ctx, provider)
	if err != nil {
		return PersonalData{}, err
	}
	s, err := m.Subscriber(ctx, p.ID, d)
	if err != nil {
		return PersonalData{}, err
	}
	history, err := m.store.History(ctx, s.ID)
	if err != nil {
		return PersonalData{}, err
	}
	deliveries, err := m.store.Jobs(ctx, JobFilter{Subscriber: s.ID})
	return PersonalData{s, history, deliveries}, err
}
