package api

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Types of an [Event].
const (
	EventStatusChanged     = "service.status_changed"
	EventSubscriberCreated = "subscriber.created"
	EventSubscriberUpdated = "subscriber.updated"
	EventSubscriberDeleted = "subscriber.deleted"
	EventEmailRequested    = "activation_email.requested" // a resend, once per token mailed
	EventScheduleRefused   = "schedule.refused"           // a scheduled operation was refused when it was due; the reason is the code
	EventTokenCreated      = "token.created"
	EventTokenRotated      = "token.rotated"
	EventTokenRevoked      = "token.revoked"
)

// Actors of an [Event].
const (
	ActorProvider   = "provider"
	ActorSubscriber = "subscriber"
	ActorPartner    = "partner"
	ActorOperator   = "operator"
	ActorSystem     = "system"
)

// Event is something that happened to a subscriber or a service (decisions.md 10 to
// 12). Trigger, Actor, Reason and OperationID are empty if they do not apply.
type Event struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	OccurredAt Time   `json:"occurred_at"`
	// SubscriberID is opaque and remains when the subscriber is deleted. It is empty from an older
	// server.
	SubscriberID string         `json:"subscriber_id"`
	Document     NullableString `json:"document"`                             // empty once the subscriber is deleted
	ProductID    Int            `json:"content_supplier_product_id,omitzero"` // the product of the service; 0 for an event of the subscriber
	// PreviousProductID points to the product that a change replaced, or to 0; it
	// is nil for an event of the subscriber.
	PreviousProductID *NullableInt `json:"previous_content_supplier_product_id,omitzero"`
	// StatusChange is set only for service.status_changed.
	*StatusChange
	// TokenChange is set only for an event about an access token, which has neither
	// subscriber nor service.
	*TokenChange
	Trigger string `json:"trigger"`
	Actor   string `json:"actor"`
	// ActorName is the name of the access token that acted, or that scheduled an action of the
	// system. It is empty for another actor and for events from before tokens had names.
	ActorName   NullableString `json:"actor_name"`
	Reason      string         `json:"reason"`
	OperationID string         `json:"operation_id"`
}

// StatusChange is the part of an event about the status of a service.
type StatusChange struct {
	PreviousStatus *string `json:"previous_status"` // null for a new service
	Status         string  `json:"status"`
	StatusID       Int     `json:"status_id"`
}

// TokenChange is the part of an event about an access token.
type TokenChange struct {
	TokenName string      `json:"token_name"`
	Scopes    List[Scope] `json:"scopes"`
}

// MarshalJSONTo writes the event. For an event about an access token, the members of subscriber and
// service are null (decisions.md 15).
func (e *Event) MarshalJSONTo(to *jsontext.Encoder) error {
	type plain Event
	if e.TokenChange == nil {
		return jsonv2.MarshalEncode(to, (*plain)(e))
	}
	type null = *struct{}
	return jsonv2.MarshalEncode(to, &struct {
		ID                string `json:"id"`
		Type              string `json:"type"`
		OccurredAt        Time   `json:"occurred_at"`
		SubscriberID      null   `json:"subscriber_id"`
		Document          null   `json:"document"`
		ProductID         null   `json:"content_supplier_product_id"`
		PreviousProductID null   `json:"previous_content_supplier_product_id"`
		PreviousStatus    null   `json:"previous_status"`
		Status            null   `json:"status"`
		StatusID          null   `json:"status_id"`
		*TokenChange
		Trigger     string         `json:"trigger"`
		Actor       string         `json:"actor"`
		ActorName   NullableString `json:"actor_name"`
		Reason      string         `json:"reason"`
		OperationID string         `json:"operation_id"`
	}{ID: e.ID, Type: e.Type, OccurredAt: e.OccurredAt, TokenChange: e.TokenChange, Trigger: e.Trigger, Actor: e.Actor, ActorName: e.ActorName})
}

// MarshalJSON is MarshalJSONTo for encoding/json.
func (e Event) MarshalJSON() ([]byte, error) { return Marshal(&e) }

// HistoryResponse contains the events of one subscriber, oldest first.
type HistoryResponse struct {
	History  List[Event] `json:"history"`
	Response string      `json:"response"`
}

// EventsResponse contains part of the feed.
type EventsResponse struct {
	Events     List[Event] `json:"events"`
	NextCursor string      `json:"next_cursor"` // the next value of ParamAfter; never empty
	Response   string      `json:"response"`
}

// PartnerEventResponse is the response of POST /partner/events (decisions.md 8).
// Result is ResultAccepted or ResultDuplicate.
type PartnerEventResponse struct {
	Response string `json:"response"`
	Result   string `json:"result"`
}
