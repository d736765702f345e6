package provision

import "time"

// Actor is who caused an event.
type Actor string

// The actors of decisions.md 10.
const (
	ActorProvider   Actor = "provider"
	ActorSubscriber Actor = "subscriber"
	ActorPartner    Actor = "partner"
	ActorOperator   Actor = "operator"
	ActorSystem     Actor = "system"
)

// EventType is the kind of an entry of the event feed.
type EventType int

// The types of decisions.md 10.
const (
	StatusChanged EventType = iota + 1
	SubscriberCreated
	SubscriberUpdated
	SubscriberDeleted
)

// String returns the API's name, for example "service.status_changed".
func (t EventType) String() string {
	switch t {
	case StatusChanged:
		return "service.status_changed"
	case SubscriberCreated:
		return "subscriber.created"
	case SubscriberUpdated:
		return "subscriber.updated"
	case SubscriberDeleted:
		return "subscriber.deleted"
	}
	return ""
}

// Event is one entry of the history and the feed. It names the subscriber by
// id only, so that it stays when the personal data is erased.
type Event struct {
	ID         EventID
	At         time.Time
	Type       EventType
	Subscriber SubscriberID
	Service    ServiceID // 0 for subscriber events
	ProductID  int
	Previous   Status // NoService for a new service
	Status     Status
	Trigger    string
	Actor      Actor
	Reason     string
	Operation  OperationID

	// Document is filled in when events are read, and "" once the subscriber
	// is deleted.
	Document string
}
