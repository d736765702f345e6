package rules

import (
	"context"
	"time"

	"ativa/internal/cpf"
)

// DeliveryState is the state of a delivery as its provider sees it (decisions.md 12).
type DeliveryState string

// The states of a delivery.
const (
	DeliveryWaiting    DeliveryState = "waiting"
	DeliverySent       DeliveryState = "sent"       // the mail server, callback or partner accepted it
	DeliveryFailed     DeliveryState = "failed"     // given up
	DeliverySuperseded DeliveryState = "superseded" // obsolete before it was sent
)

// SubscriberDelivery is a job with the rows that its state depends on, all from one snapshot.
type SubscriberDelivery struct {
	Job
	Service   Service
	Operation Operation
	Driver    Driver // of the operation's partner; "" without one
}

// SubscriberDeliveries returns the stored deliveries of a subscriber, newest first. It leaves out
// requests to manual partners, which are never sent.
func (r *Reports) SubscriberDeliveries(ctx context.Context, p ProviderID, d cpf.Document) ([]SubscriberDelivery, error) {
	s, err := r.Subscriber(ctx, p, d)
	if err != nil {
		return nil, err
	}
	all, err := r.store.SubscriberDeliveries(ctx, s.ID)
	kept := all[:0]
	for _, d := range all {
		if d.Kind != PartnerJob || d.Driver == DriverHTTP || d.Driver == DriverSimulator {
			kept = append(kept, d)
		}
	}
	return kept, err
}

// StateAt returns the state at now. A delivery that will not be attempted is superseded, even if
// no server has marked it yet.
func (d *SubscriberDelivery) StateAt(now time.Time) DeliveryState {
	switch {
	case d.State == JobDead:
		return DeliveryFailed
	case d.delivered():
		return DeliverySent
	case d.State == JobDone, !d.underWay(now) && d.obsolete():
		return DeliverySuperseded
	}
	return DeliveryWaiting
}

// obsolete reports whether the delivery is no longer needed.
func (d *SubscriberDelivery) obsolete() bool {
	claimed := ClaimedDelivery{Job: d.Job, partnerOperation: d.Operation,
		ServiceDetails: ServiceDetails{Service: d.Service, Subscriber: Subscriber{ID: d.Service.ID.Subscriber()}}}
	return claimed.obsolete()
}

// underWay reports whether a server holds the lease of the job at now. A server whose lease has
// ended is considered gone.
func (d *SubscriberDelivery) underWay(now time.Time) bool {
	return d.State == JobLeased && d.NextAt.After(now)
}

// NextAttempt returns when the next attempt is due, as of now. It is zero if there is none, or if
// one is under way.
func (d *SubscriberDelivery) NextAttempt(now time.Time) time.Time {
	if d.StateAt(now) != DeliveryWaiting || d.underWay(now) {
		return time.Time{}
	}
	return d.NextAt
}
