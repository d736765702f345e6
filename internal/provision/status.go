package provision

// Status is the state of a service; its value is the API's status id.
type Status int

// The statuses of api.md. The ids 2, 5, 8, 9 and 16–20 are never used.
const (
	NoService                     Status = 0 // before the first activation; never stored
	Active                        Status = 1
	Canceled                      Status = 3
	Suspended                     Status = 4
	LimitReached                  Status = 6
	Overdue                       Status = 7
	InProgress                    Status = 10
	InError                       Status = 11
	Reactivated                   Status = 12
	Changed                       Status = 13
	WaitingSuspension             Status = 14
	WaitingCancellation           Status = 15
	CanceledWithoutActivation     Status = 21
	WaitingSuspensionDueToOverdue Status = 22
)

// StatusInfo describes a status for lists and documentation.
type StatusInfo struct {
	Status  Status
	Final   bool   // false: the operation still runs or waits for a third party
	Meaning string // one English sentence
}

// Statuses returns every status in the order of the API's own table: the
// final ones first, then the intermediate ones.
func Statuses() []StatusInfo {
	return []StatusInfo{
		{Active, true, "The service is enabled."},
		{Canceled, true, "The service is cancelled permanently."},
		{Suspended, true, "The service is suspended temporarily."},
		{Overdue, true, "The service is suspended temporarily for lack of payment."},
		{LimitReached, false, "The activation is queued: the provider reached its limit of active tokens."},
		{InProgress, false, "An activation is in progress; the subscriber has yet to complete it."},
		{InError, false, "The last operation failed."},
		{Reactivated, false, "The service is being reactivated; the partner has yet to confirm."},
		{Changed, false, "The service is undergoing a product change; the partner has yet to confirm."},
		{WaitingSuspension, false, "The partner has yet to confirm the suspension."},
		{WaitingCancellation, false, "The partner has yet to confirm the cancellation."},
		{CanceledWithoutActivation, false, "The service was cancelled in the queue, before it was enabled."},
		{WaitingSuspensionDueToOverdue, false, "The partner has yet to confirm the suspension for lack of payment."},
	}
}

// String returns the API's name of the status, or "(none)" for [NoService].
func (s Status) String() string {
	switch s {
	case NoService:
		return "(none)"
	case Active:
		return "active"
	case Canceled:
		return "canceled"
	case Suspended:
		return "suspend"
	case LimitReached:
		return "limitReached"
	case Overdue:
		return "overdue"
	case InProgress:
		return "inProgress"
	case InError:
		return "error"
	case Reactivated:
		return "reactivated"
	case Changed:
		return "changed"
	case WaitingSuspension:
		return "waitingSuspension"
	case WaitingCancellation:
		return "waitingCancellation"
	case CanceledWithoutActivation:
		return "canceledWithoutActivation"
	case WaitingSuspensionDueToOverdue:
		return "waitingSuspensionDueToOverdue"
	}
	return "unknown"
}

// Ended reports whether the token is gone for good: a new activation of the
// same product makes a new token (decisions.md 8).
func (s Status) Ended() bool {
	return s == Canceled || s == CanceledWithoutActivation
}

// stable reports whether a service can stay in s while enabled or suspended,
// with no operation running.
func (s Status) stable() bool {
	return s == Active || s == Suspended || s == Overdue
}
