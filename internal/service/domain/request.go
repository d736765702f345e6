package domain

// Request is the action that a batch applies to each of its documents.
type Request int

// The batch requests. Overdue and settle are additions to those of api.md.
const (
	RequestActivate Request = iota + 1
	RequestSuspend
	RequestDeactivate
	RequestOverdue
	RequestSettle
)

// String returns the name that paths and responses use.
func (r Request) String() string {
	return [...]string{"", "activate", "suspend", "deactivate", "overdue", "settle"}[r]
}

// Trigger returns the request's column of the state table.
func (r Request) Trigger() Trigger {
	return [...]Trigger{0, ActivateSame, Suspend, Deactivate, GoOverdue, Settle}[r]
}
