package domain

import "time"

// OperationKind is what an operation does to a service.
type OperationKind int

// The kinds of operations. OverdueSuspension is a suspension for lack of
// payment; its public name is "suspension" too.
const (
	Activation OperationKind = iota + 1
	Suspension
	Cancellation
	Reactivation
	ProductChange
	OverdueSuspension
)

var operationKindNames = [...]string{"", "activation", "suspension", "cancellation", "reactivation", "change", "suspension"}

// String returns the name that events and partner requests use.
func (k OperationKind) String() string { return nameOf(operationKindNames[:], k) }

// OperationState is the state of an operation.
type OperationState int

// The states of an operation.
const (
	OperationWaiting OperationState = iota + 1
	OperationConfirmed
	OperationFailed
	OperationTimedOut
	OperationSuperseded
)

var operationStateNames = [...]string{"", "waiting", "confirmed", "failed", "timed_out", "superseded"}

// String returns the state as `ativa admin operations list` prints it.
func (s OperationState) String() string { return nameOf(operationStateNames[:], s) }

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
	Attempts  int       // number of requests to the partner
	Deadline  time.Time // when the partner is asked again or the operation fails; zero: never
	Reason    string    // why it failed

	RequestsActivation bool // the partner receives requests for activations; set in a transaction
}

// OperationChange is a change of an operation. State, Deadline and Reason are written; AddAttempts
// is added to the attempts.
type OperationChange struct {
	ID          OperationID
	State       OperationState
	Deadline    time.Time // zero: none
	Reason      string
	AddAttempts int
}

// OperationFilter selects operations. The zero value selects all.
type OperationFilter struct {
	States        []OperationState
	CreatedBefore time.Time // zero: any
	// HoldingSlot selects activations that are in progress. They count towards
	// the provider's limit until they are completed or cancelled.
	HoldingSlot bool
	IDs         []OperationID
}

// OperationEntry is an operation with the names that an operator sees.
type OperationEntry struct {
	Operation
	Provider    string
	PartnerName string
	Document    string // of the subscriber; "" once deleted
}

// Confirmation reports that an operation succeeded or failed. It comes from a partner, an operator
// or the delivery of the activation e-mail.
type Confirmation struct {
	Operation   OperationID
	Kind        string // required kind of the operation; "": any
	Partner     PartnerID
	Confirmed   bool // false: failed
	Reason      string
	Actor       Actor
	EmailNumber int // Service.EmailNumber of the e-mail it is about; 0: any
	// Delivery is the claimed delivery that ended with this confirmation; its ID is 0 if there is none. It is
	// finished in the same transaction, so that a crash leaves both or neither.
	Delivery Delivery
}

// Reasons of operations that failed because a delivery was refused.
const (
	ReasonUndeliverable = "email_undeliverable" // the activation e-mail was refused for good
	ReasonRefused       = "partner_refused"     // the partner refused the request for good
)
