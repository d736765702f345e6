package domain

import (
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

// SubscriberServices is a subscriber with all its services, in order of
// creation, cancelled ones included.
type SubscriberServices struct {
	Subscriber
	Services []Service
}
