package domain

// Trigger is something that may change a service: a column of the state table.
type Trigger int

// The columns of the state table. ActivateSame, ActivateFamily and
// ActivateOther are one request, for a subscriber with a live service of the same
// product, of the same family, or of neither.
const (
	ActivateSame Trigger = iota + 1
	ActivateFamily
	ActivateOther
	Suspend
	Deactivate
	Change
	Resend
	LinkCompleted
	Confirmed
	Failed
	TimedOut
	GoOverdue
	Settle
	SlotAvailable
)

var triggerNames = [...]string{
	"", "activate_same", "activate_family", "activate_other", "suspend", "deactivate", "change", "resend",
	"link_completed", "confirmed", "failed", "timeout", "overdue", "settle", "slot_available",
}

// String returns the trigger as events and the state table name it.
func (t Trigger) String() string { return nameOf(triggerNames[:], t) }
