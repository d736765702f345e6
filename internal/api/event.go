package api

// Types of an [Event].
const (
	EventStatusChanged     = "service.status_changed"
	EventSubscriberCreated = "subscriber.created"
	EventSubscriberUpdated = "subscriber.updated"
	EventSubscriberDeleted = "subscriber.deleted"
)

// Actors of an [Event].
const (
	ActorProvider   = "provider"
	ActorSubscriber = "subscriber"
	ActorPartner    = "partner"
	ActorOperator   = "operator"
	ActorSystem     = "system"
)

// Event is a change of a subscriber or a service (decisions.md 10). Trigger,
// Actor, Reason and OperationID are empty if they do not apply.
type Event struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	OccurredAt Time   `json:"occurred_at"`
	Document   string `json:"document"`
	// StatusChange is set only for service.status_changed.
	*StatusChange
	Trigger     string `json:"trigger"`
	Actor       string `json:"actor"`
	Reason      string `json:"reason"`
	OperationID string `json:"operation_id"`
}

// StatusChange is the part of an event about a service.
type StatusChange struct {
	ProductID Int `json:"content_supplier_product_id"`
	// PreviousStatus is null for a new service.
	PreviousStatus *string `json:"previous_status"`
	Status         string  `json:"status"`
	StatusID       Int     `json:"status_id"`
}

// HistoryResponse contains the events of one subscriber, oldest first.
type HistoryResponse struct {
	History  List[Event] `json:"history"`
	Response string      `json:"response"`
}

// EventsResponse contains a part of the feed.
type EventsResponse struct {
	Events List[Event] `json:"events"`
	// NextCursor is the next value of ParamAfter. It is never empty.
	NextCursor string `json:"next_cursor"`
	Response   string `json:"response"`
}

// PartnerEventResponse is the response of POST /partner/events (decisions.md 8).
// Result is ResultAccepted or ResultDuplicate.
type PartnerEventResponse struct {
	Response string `json:"response"`
	Result   string `json:"result"`
}
