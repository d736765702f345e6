package rules

import (
	"context"
	"time"

	"ativa/internal/cpf"
)

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
	Token             TokenID // that the provider acted or scheduled it with; 0: not known, or another actor
	AboutToken        TokenID // that was made, rotated or revoked; 0: another event
	Reason            string
	Operation         OperationID

	// What follows is set when events are read. Document is "" once the subscriber is
	// deleted, ActorName the name of Token.
	Document    string
	ActorName   string
	TokenName   string // this and the scopes are those of AboutToken
	TokenScopes Scopes
}

// History returns the events of a subscriber and its services, oldest first.
func (r *Reports) History(ctx context.Context, p ProviderID, d cpf.Document) ([]Event, error) {
	s, err := r.Subscriber(ctx, p, d)
	if err != nil {
		return nil, err
	}
	return r.history(ctx, s.Subscriber)
}

// history reads the events of an existing subscriber.
func (r *Reports) history(ctx context.Context, s Subscriber) ([]Event, error) {
	all, err := r.store.History(ctx, s.ID)
	for i := range all {
		all[i].Document = string(s.Document)
	}
	return all, err
}

// Events returns up to limit events of the provider after a cursor, and the next cursor. Cursor 0
// starts at the oldest stored event. Events returns InvalidCursor if it would have to skip events:
// because retention has deleted the next one, or because the cursor is newer than a restored
// database.
func (r *Reports) Events(ctx context.Context, p ProviderID, after EventID, limit int) ([]Event, EventID, error) {
	if first, last := p.Records(); after != 0 && (int64(after) < first || int64(after) > last) {
		return nil, 0, ForeignCursor()
	}
	newest, err := r.store.LastEvent(ctx, p) // read first, so that an event written meanwhile does not look like a gap
	if err != nil {
		return nil, 0, err
	}
	if after > newest {
		return nil, 0, badCursor("the cursor is beyond the end of the feed: the service was restored from a backup; begin without a cursor")
	}
	events, err := r.store.Events(ctx, p, after, limit)
	switch {
	case err != nil:
		return nil, 0, err
	case after == 0 && len(events) == 0:
		return nil, newest, nil
	case after == 0:
		after = events[0].ID - 1
	}
	n := 0
	for n < len(events) && events[n].ID == after+1 { // ids are consecutive
		after++
		n++
	}
	if n == 0 && after < newest {
		return nil, 0, badCursor("events after the cursor are no longer kept; begin without a cursor")
	}
	return events[:n], after, nil
}

// ForeignCursor returns the refusal of a cursor that is not one of this feed.
func ForeignCursor() *Error { return badCursor("the cursor is not one of this feed") }

func badCursor(message string) *Error {
	return &Error{Code: InvalidCursor, Message: message,
		Fields: []FieldError{{Field: "after", Code: InvalidCursor, Message: "must be a next_cursor of this feed"}}}
}
