package provision

import (
	"context"
	"time"

	"ativa/internal/cpf"
)

// Subscriber is a customer of a provider.
type Subscriber struct {
	ID        SubscriberID
	Document  cpf.Document
	Name      string
	Email     string
	Phone     string // E.164
	SpeedID   int    // id of an InternetSpeed
	Plan      string // the provider's own plan name; may be empty
	CreatedAt time.Time
}

// SubscriberServices is a subscriber with all its tokens, cancelled ones
// included, in order of creation.
type SubscriberServices struct {
	Subscriber
	Services []Service
}

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
