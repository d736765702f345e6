package provision

import (
	"context"
	"time"
)

// Inbox keeps what partners report until it is applied.
type Inbox interface {
	// AddReport stores a partner's report; false when its id is known already.
	AddReport(context.Context, Report) (added bool, err error)
	// PendingReports returns up to n reports that are stored and not yet applied.
	PendingReports(ctx context.Context, n int) ([]Report, error)
	// Reports lists reports in the given states for the operator, oldest first.
	Reports(ctx context.Context, states []ReportState, limit int) ([]Report, error)
	SetReportState(context.Context, PartnerID, string, ReportState) error
}

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
