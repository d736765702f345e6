package provision

import (
	"time"
)

// Report is what a partner says about an operation.
type Report struct {
	Partner    PartnerID
	ID         string // the partner's own id of the message
	Operation  OperationID
	Kind       string // activation, suspension, cancellation, reactivation, change
	Confirmed  bool   // false: failed
	Reason     string
	ReceivedAt time.Time
	State      ReportState
}

// ReportState is what became of a report.
type ReportState int

// The states of a report. Unmatched ones are parked; the operator may replay them.
const (
	ReportStored ReportState = iota
	ReportApplied
	ReportStale
	ReportUnmatched
)

// String returns the state as `ativa admin partners events` prints it.
func (s ReportState) String() string {
	return [...]string{"stored", "applied", "stale", "parked"}[s]
}
