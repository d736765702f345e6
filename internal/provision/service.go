package provision

import "time"

// Service is one token: a product of one subscriber, and where it stands.
type Service struct {
	ID        ServiceID
	ProductID int
	Status    Status
	CreatedAt time.Time
	UpdatedAt time.Time // of the status

	// Operation is the running operation, or the last one; Kind is its kind.
	// In status error it is the operation that failed.
	Operation OperationID
	Kind      OperationKind

	// Stable is the last resting status (active, suspend, overdue) the
	// service had before the present one; NoService before the first.
	LastStable Status

	// Previous is, in status changed, the product to put back when the change
	// fails; after a failed change the product that was asked for; else 0.
	OtherProductID int

	// Deferred is GoOverdue or Settle when one waits for the running
	// operation to end; 0 if none.
	Deferred Trigger

	// Link counts the activation e-mails: links of an earlier e-mail are replaced.
	EmailNumber int
}

// Enabled reports whether the partner still serves the subscriber.
func (s Service) Enabled() bool {
	return s.Status == Active || s.LastStable == Active && !s.Status.stable() && !s.Status.Ended()
}

// HoldsActiveToken reports whether the service holds one of the provider's active
// tokens (decisions.md 8, Limit).
func (s Service) HoldsActiveToken() bool {
	switch s.Status {
	case InProgress, Active, Changed, Reactivated, WaitingSuspension, WaitingSuspensionDueToOverdue:
		return true
	case WaitingCancellation, InError:
		return s.Enabled()
	}
	return false
}
