package domain

import (
	"cmp"
	"time"
)

// Service is one token: a product of one subscriber and its status.
type Service struct {
	ID        ServiceID
	ProductID int
	Status    Status
	CreatedAt time.Time
	UpdatedAt time.Time // when the status last changed

	// Operation is the running operation, or the last one; in status error, the one that failed.
	// Kind is its kind.
	Operation OperationID
	Kind      OperationKind

	// LastStable is the last stable status (active, suspend, overdue) before the current one, or
	// NoService.
	LastStable Status

	// PreviousProductID is the product before a change that is not confirmed, also when a
	// cancellation superseded it, else 0. The service is still enabled with that product.
	PreviousProductID int
	// RequestedProductID is the product that a failed change requested, else 0.
	RequestedProductID int

	// Deferred is the trigger, GoOverdue or Settle, to apply when Operation is confirmed, or 0.
	Deferred Trigger

	// EmailNumber is the number of activation e-mails so far. Only links of the
	// last one work.
	EmailNumber int
}

// Enabled reports whether the subscriber can use the product at the partner.
func (s Service) Enabled() bool {
	return s.Status == Active || s.LastStable == Active && !s.Status.Stable() && !s.Status.Ended()
}

// EnabledProduct returns the product that the service is enabled with, or 0. A change that is not
// confirmed does not count.
func (s *Service) EnabledProduct() int {
	if !s.Enabled() {
		return 0
	}
	return cmp.Or(s.PreviousProductID, s.ProductID)
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

var statusNames = [...]string{
	NoService: "(none)", Active: "active", Canceled: "canceled", Suspended: "suspend", LimitReached: "limitReached", Overdue: "overdue",
	InProgress: "inProgress", InError: "error", Reactivated: "reactivated", Changed: "changed", WaitingSuspension: "waitingSuspension",
	WaitingCancellation: "waitingCancellation", CanceledWithoutActivation: "canceledWithoutActivation",
	WaitingSuspensionDueToOverdue: "waitingSuspensionDueToOverdue",
}

// String returns the API's name of the status, or "(none)" for [NoService].
func (s Status) String() string { return cmp.Or(nameOf(statusNames[:], s), "unknown") }

// Known reports whether s is a status that a service can have.
func (s Status) Known() bool { return s != NoService && nameOf(statusNames[:], s) != "" }

// nameOf returns the name of a numbered constant, or "" for an unknown number, which a newer
// version may have written.
func nameOf[N ~int](names []string, n N) string {
	if n < 0 || int(n) >= len(names) {
		return ""
	}
	return names[n]
}

// Ended reports whether the token is gone for good: a new activation of the
// same product makes a new token (decisions.md 8).
func (s Status) Ended() bool {
	return s == Canceled || s == CanceledWithoutActivation
}

// Stable reports whether a service can stay in s while enabled or suspended,
// with no operation running.
func (s Status) Stable() bool {
	return s == Active || s == Suspended || s == Overdue
}
