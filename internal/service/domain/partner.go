package domain

import "time"

// Driver is how a partner is reached.
type Driver string

// The drivers of decisions.md 8.
const (
	DriverManual    Driver = "manual"    // an operator confirms by hand
	DriverSimulator Driver = "simulator" // the service itself confirms after a delay
	DriverHTTP      Driver = "http"      // over HTTP, in both directions
)

// Partner is the third party that carries out operations on products.
type Partner struct {
	ID          PartnerID
	Name        string
	Driver      Driver
	URL         string        // http only
	Delay       time.Duration // simulator only
	FailureRate float64       // simulator only, 0 to 1
	Secret      []byte        // signs both directions (Standard Webhooks); never printed after creation
	CreatedAt   time.Time
}

// PartnerEvent is what a partner reports about an operation.
type PartnerEvent struct {
	Partner    PartnerID
	ID         string // the partner's id of the event
	Operation  OperationID
	Kind       string // activation, suspension, cancellation, reactivation, change
	Confirmed  bool   // false: failed
	Reason     string
	ReceivedAt time.Time
	State      PartnerEventState
}

// PartnerEventState says whether, and how, a partner event was applied.
type PartnerEventState int

// The states of a partner event. An operator may replay unmatched ones.
const (
	PartnerEventApplied   PartnerEventState = iota + 1
	PartnerEventStale                       // it concerns no running or failed operation
	PartnerEventUnmatched                   // its operation is unknown, or of another partner or kind
)

var partnerEventStateNames = [...]string{"", "applied", "stale", "parked"}

// String returns the state as `ativa admin partners events` prints it.
func (s PartnerEventState) String() string { return nameOf(partnerEventStateNames[:], s) }
