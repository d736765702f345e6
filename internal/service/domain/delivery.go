package domain

import "time"

// ServiceDetails is a service with its subscriber, product and provider.
type ServiceDetails struct {
	Provider   Provider
	Subscriber Subscriber // zero once deleted
	Service    Service
	Product    Product
	Requests   int // how often the service's operation was requested from its partner
}

// Destination is where deliveries of a kind go: the mail server, a partner or a provider's
// callback. Each can fail or be slow independently of the others.
type Destination struct {
	Kind     JobKind
	ID       int64    // a PartnerID or ProviderID; 0 for e-mails, and for products without a partner
	Partner  Partner  // for partner jobs: the operation's partner, which may differ from the product's current one
	Callback Callback // for callback jobs; its URL is empty if there is none
}

// ClaimedDelivery is a claimed job with everything needed to deliver it.
type ClaimedDelivery struct {
	Job
	ServiceDetails
	Destination Destination
	Brand       Brand  // for e-mail jobs
	LinkSecret  string // set by Finish for e-mail and callback jobs: the last path segment of the activation link
}

// Obsolete reports whether the delivery is no longer needed.
func (d *ClaimedDelivery) Obsolete() bool {
	return d.Subscriber.ID == 0 || d.Job.obsolete(d.ServiceDetails.Service, d.Requests)
}

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

// StateAt returns the state at now. A delivery that will not be attempted is superseded, even if
// no server has marked it yet.
func (d *SubscriberDelivery) StateAt(now time.Time) DeliveryState {
	switch {
	case d.State == JobDead:
		return DeliveryFailed
	case d.delivered():
		return DeliverySent
	case d.State == JobDone, !d.underWay(now) && d.Job.obsolete(d.Service, d.Operation.Attempts):
		return DeliverySuperseded
	}
	return DeliveryWaiting
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
