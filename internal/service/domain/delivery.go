package domain

import "time"

// DeliveryKind is what is delivered.
type DeliveryKind int

// The kinds of deliveries.
const (
	EmailDelivery DeliveryKind = iota + 1
	CallbackDelivery
	PartnerDelivery
)

var deliveryKindNames = [...]string{"", "email", "callback", "partner"}

// String returns the kind as `ativa admin deliveries list` prints it.
func (k DeliveryKind) String() string { return nameOf(deliveryKindNames[:], k) }

// OutboxState is the state of a delivery in the outbox.
type OutboxState int

// The states in the outbox.
const (
	OutboxDue OutboxState = iota
	OutboxLeased
	OutboxDone
	OutboxDead
)

var outboxStateNames = [...]string{"due", "leased", "done", "dead"}

// String returns the state as `ativa admin deliveries list` prints it.
func (s OutboxState) String() string { return nameOf(outboxStateNames[:], s) }

// Delivery is an entry of the outbox: an e-mail or request to deliver. It is stored without personal
// data and refers to the service.
type Delivery struct {
	ID   DeliveryID
	Kind DeliveryKind
	// Destination is the ID of a [Destination]: the operation's partner, or the provider whose
	// callback is called.
	Destination int64
	Service     ServiceID
	Operation   OperationID
	Sequence    int // Service.EmailNumber, or for partners Operation.Attempts, at creation; obsolete once that is higher
	State       OutboxState
	Attempts    int // finished attempts, since an operator last retried it or the address was changed
	CreatedAt   time.Time
	NextAt      time.Time // when it is due; if leased, when the lease ends; if done or dead, when it ended
	ReadNextAt  time.Time // NextAt when the delivery was claimed or read; it differs once another server has claimed or finished the delivery
	LastError   string    // why the last attempt failed; "" after a success
	Urgent      bool      // someone waits for it: not from a bulk request or a promotion

	LastAttemptAt time.Time // when the last attempt ended; zero: none
	OpenedAt      time.Time // the first GET of its link; zero: none
	RefusedSince  time.Time // start of the current run of temporary refusals of the address; zero: the last attempt met none

	// The fields below are set when an operator lists deliveries. Document is "" once the subscriber
	// is deleted.
	ProviderName string
	Document     string
}

// delivered reports whether an attempt succeeded. A delivery that became obsolete first is done, but
// not delivered.
func (d *Delivery) delivered() bool {
	return d.State == OutboxDone && d.Attempts > 0 && d.LastError == ""
}

// obsolete reports whether the delivery is no longer needed, as of its service and the number of requests
// to the partner of its operation.
func (d *Delivery) obsolete(s Service, requests int) bool {
	if d.Kind == PartnerDelivery {
		// A subscriber may complete the activation before the partner has heard of it.
		completed := s.Status.Stable() && !(s.Status == Active && s.Kind == Activation)
		return s.Operation != d.Operation || d.Sequence < requests || completed || s.Status.Ended() || s.Status == InError
	}
	return s.EmailNumber != d.Sequence || s.Status != InProgress && s.Status != Active
}

// DeliveryFilter selects deliveries. The zero value selects all.
type DeliveryFilter struct {
	States   []OutboxState
	IDs      []DeliveryID
	Kinds    []DeliveryKind
	Provider ProviderID // 0: any
}

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
	Kind     DeliveryKind
	ID       int64    // a PartnerID or ProviderID; 0 for e-mails, and for products without a partner
	Partner  Partner  // for partner deliveries: the operation's partner, which may differ from the product's current one
	Callback Callback // for callback deliveries; its URL is empty if there is none
}

// ClaimedDelivery is a claimed delivery with everything needed to deliver it.
type ClaimedDelivery struct {
	Delivery
	ServiceDetails
	Destination Destination
	Brand       Brand  // for e-mail deliveries
	LinkSecret  string // set by Finish for e-mail and callback deliveries: the last path segment of the activation link
}

// Obsolete reports whether the delivery is no longer needed.
func (d *ClaimedDelivery) Obsolete() bool {
	return d.Subscriber.ID == 0 || d.Delivery.obsolete(d.ServiceDetails.Service, d.Requests)
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

// SubscriberDelivery is a delivery with the rows that its state depends on, all from one snapshot.
type SubscriberDelivery struct {
	Delivery
	Service   Service
	Operation Operation
	Driver    Driver // of the operation's partner; "" without one
}

// StateAt returns the state at now. A delivery that will not be attempted is superseded, even if
// no server has marked it yet.
func (d *SubscriberDelivery) StateAt(now time.Time) DeliveryState {
	switch {
	case d.State == OutboxDead:
		return DeliveryFailed
	case d.delivered():
		return DeliverySent
	case d.State == OutboxDone, !d.underWay(now) && d.Delivery.obsolete(d.Service, d.Operation.Attempts):
		return DeliverySuperseded
	}
	return DeliveryWaiting
}

// underWay reports whether a server holds the lease of the delivery at now. A server whose lease has
// ended is considered gone.
func (d *SubscriberDelivery) underWay(now time.Time) bool {
	return d.State == OutboxLeased && d.NextAt.After(now)
}

// NextAttempt returns when the next attempt is due, as of now. It is zero if there is none, or if
// one is under way.
func (d *SubscriberDelivery) NextAttempt(now time.Time) time.Time {
	if d.StateAt(now) != DeliveryWaiting || d.underWay(now) {
		return time.Time{}
	}
	return d.NextAt
}
