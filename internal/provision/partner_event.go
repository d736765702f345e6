package provision

import (
	"time"
)

// PartnerEvent is what a partner says about an operation.
type PartnerEvent struct {
	Partner    PartnerID
	ID         string // the partner's own id of the message
	Operation  OperationID
	Kind       string // activation, suspension, cancellation, reactivation, change
	Confirmed  bool   // false: failed
	Reason     string
	ReceivedAt time.Time
	State      PartnerEventState
}

// PartnerEventState is what became of a report.
type PartnerEventState int

// The states of a report. Unmatched ones are parked; the operator may replay them.
const (
	PartnerEventStored PartnerEventState = iota
	PartnerEventApplied
	PartnerEventStale
	PartnerEventUnmatched
)

// String returns the state as `ativa admin partners events` prints it.
func (s PartnerEventState) String() string {
	return [...]string{"stored", "applied", "stale", "parked"}[s]
}
