package rules

import "time"

// EnabledInterval is a period in which a service was enabled with one product (decisions.md 14).
// Intervals are kept as long as their services, which outlive their subscribers.
type EnabledInterval struct {
	Service    ServiceID
	ProductID  int
	Begin      time.Time
	End        time.Time // zero while open
	BeginEvent EventID   // the status change that began it
	EndEvent   EventID   // the status change that ended it; 0 while open
}

// IntervalQuery selects the intervals of a report.
type IntervalQuery struct {
	From, To  time.Time // the period; To is exclusive
	LastEvent EventID   // later events are ignored
	Tokens    bool      // read also the fields that only a report by token shows
}

// ServiceInterval is an interval with the fields of its service that a report by token shows.
type ServiceInterval struct {
	EnabledInterval
	CreatedAt time.Time
	Status    Status // current status
	Document  string // "" once the subscriber is deleted
}

// IntervalEdge is the beginning or the end of an interval.
type IntervalEdge struct {
	ProductID int
	Change    int // of the number of enabled services: +1 or -1
}

// recordEnabled ends or begins an interval of a service after a change of status. before is the
// product that it was enabled with, 0 for none. An intermediate status changes nothing, so a
// change of product counts once it is confirmed.
func (u *unitOfWork) recordEnabled(s *Service, before int, event EventID) {
	after := 0
	switch s.Status {
	case Active:
		after = s.ProductID
	case Suspended, Overdue, Canceled:
	default:
		return
	}
	if before == after {
		return
	}
	if before != 0 {
		u.ended = append(u.ended, EnabledInterval{Service: s.ID, End: u.now, EndEvent: event})
	}
	if after != 0 {
		u.begun = append(u.begun, EnabledInterval{Service: s.ID, ProductID: after, Begin: u.now, BeginEvent: event})
	}
}

// enabledProduct returns the product that the service is enabled with, or 0. It may be wrong after
// a cancellation has superseded a change; then only the end of the interval can follow, which does
// not depend on the product.
func (s *Service) enabledProduct() int {
	switch {
	case !s.Enabled():
		return 0
	case s.Status == Changed:
		return s.OtherProductID
	}
	return s.ProductID
}
