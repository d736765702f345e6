package provision

import (
	"context"
	"time"
)

// OperationKind is what an operation asks of the partner or the subscriber.
type OperationKind int

// The kinds of operations. OverdueSuspension is a suspension for lack of
// payment; outside it is called "suspension" too.
const (
	Activation OperationKind = iota + 1
	Suspension
	Cancellation
	Reactivation
	ProductChange
	OverdueSuspension
)

// String returns the name that events and partner requests use.
func (k OperationKind) String() string {
	switch k {
	case Activation:
		return "activation"
	case Suspension, OverdueSuspension:
		return "suspension"
	case Cancellation:
		return "cancellation"
	case Reactivation:
		return "reactivation"
	case ProductChange:
		return "change"
	}
	return ""
}

// OperationState is where an operation stands.
type OperationState int

// The states of an operation.
const (
	OperationWaiting OperationState = iota + 1
	OperationConfirmed
	OperationFailed
	OperationTimedOut
	OperationSuperseded
)

// String returns the state as `ativa admin operations list` prints it.
func (s OperationState) String() string {
	switch s {
	case OperationWaiting:
		return "waiting"
	case OperationConfirmed:
		return "confirmed"
	case OperationFailed:
		return "failed"
	case OperationTimedOut:
		return "timed_out"
	case OperationSuperseded:
		return "superseded"
	}
	return ""
}

// Operation is one activation, suspension, cancellation, reactivation or
// change of a service, from the request to its confirmation.
type Operation struct {
	ID        OperationID
	Service   ServiceID
	Kind      OperationKind
	State     OperationState
	ProductID int
	Partner   PartnerID // 0: the product has no partner
	CreatedAt time.Time
	Attempts  int       // how often the partner was asked
	Deadline  time.Time // when it is asked again or given up; zero: never
	Reason    string    // why it failed
}

// OperationChange is what happens to an operation after its start. State,
// deadline and reason are written; Asked is added to its attempts.
type OperationChange struct {
	ID          OperationID
	State       OperationState
	Deadline    time.Time // zero: none
	Reason      string
	AddAttempts int
}

// OperationFilter chooses operations; the zero value chooses all.
type OperationFilter struct {
	States        []OperationState
	CreatedBefore time.Time // zero: any
	// HoldingSlot chooses activations that were begun and not completed: they
	// hold one of the provider's active tokens until the subscriber follows
	// the link or somebody cancels them.
	HoldingSlot bool
	IDs         []OperationID
	Limit       int
}

// OperationEntry is an operation as the operator sees it.
type OperationEntry struct {
	Operation
	Provider    string
	PartnerName string
	Document    string // "" once the subscriber is deleted
}

// Operations lists operations, oldest first.
func (m *Manager) Operations(ctx context.Context, f OperationFilter) ([]OperationEntry, error) {
	return m.store.ListOperations(ctx, f)
}
