package provision

import "time"

// Service is one token: a product of one subscriber and its status.
type Service struct {
	ID        ServiceID
	ProductID int
	Status    Status
	CreatedAt time.Time
	UpdatedAt time.Time // when the status last changed

	// Operation is the running operation, or the last one; Kind is its kind.
	// In status error it is the operation that failed.
	Operation OperationID
	Kind      OperationKind

	// LastStable is the last stable status (active, suspend, overdue) before
	// the present one, or NoService.
	LastStable Status

	// OtherProductID is, in status changed, the product to restore when the
	// change fails; after a failed change, the requested product; else 0.
	OtherProductID int

	// Deferred is the trigger, GoOverdue or Settle, that is applied when the
	// running operation ends, or 0.
	Deferred Trigger

	// EmailNumber is the number of activation e-mails so far. Only links of the
	// last one work.
	EmailNumber int
}

// Enabled reports whether the subscriber can use the product at the partner.
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
