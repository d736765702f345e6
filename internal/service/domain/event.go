package domain

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
	EmailRequested  // a resend, once per token mailed (decisions.md 12)
	ScheduleRefusal // a scheduled operation that was refused when it was due (decisions.md 16)
	TokenCreated    // this and the next two are about an access token (decisions.md 15)
	TokenRotated
	TokenRevoked
)

var eventTypeNames = [...]string{"", "service.status_changed", "subscriber.created", "subscriber.updated", "subscriber.deleted", "activation_email.requested",
	"schedule.refused", "token.created", "token.rotated", "token.revoked"}

// String returns the API's name, for example "service.status_changed".
func (t EventType) String() string { return nameOf(eventTypeNames[:], t) }

// Event is one entry of the history and the event feed. It refers to the
// subscriber by id, so that it can stay when the personal data is erased.
type Event struct {
	ID                EventID
	At                time.Time
	Type              EventType
	Subscriber        SubscriberID
	Service           ServiceID // 0 for subscriber events
	ProductID         int
	PreviousProductID int    // the product before a change of product; 0: none
	Previous          Status // NoService for a new service
	Status            Status // NoService unless the status changed
	Trigger           string
	Actor             Actor
	Token             TokenID // the token that acted or scheduled; 0: not known, or another actor
	AboutToken        TokenID // the token that was created, rotated or revoked; 0: another event
	Reason            string
	Operation         OperationID

	// The fields below are set when events are read. Document is "" once the subscriber is deleted;
	// ActorName is the name of Token.
	Document    string
	ActorName   string
	TokenName   string // name of AboutToken, which also has the scopes
	TokenScopes Scopes
}

// ForeignCursor returns the refusal of a cursor of another feed.
func ForeignCursor() *Error { return BadCursor("the cursor is not one of this feed") }

// BadCursor returns the refusal of a cursor with a message.
func BadCursor(message string) *Error {
	return &Error{Code: InvalidCursor, Message: message,
		Fields: []FieldError{{Field: "after", Code: InvalidCursor, Message: "must be a next_cursor of this feed"}}}
}
