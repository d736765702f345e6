package provision

import "time"

// EnabledInterval is a time during which a service was enabled with one product
// (decisions.md 14). Intervals are kept as long as their services, which outlive
// their subscribers.
type EnabledInterval struct {
	Service    ServiceID
	ProductID  int
	Begin      time.Time
	End        time.Time // zero while it lasts
	BeginEvent EventID   // the status change with which it began
	EndEvent   EventID   // and ended; 0 while it lasts
}

// IntervalQuery selects the intervals of a report.
type IntervalQuery struct {
	From, To  time.Time // of the period; To is its first moment after
	LastEvent EventID   // what happened after it is left out
	Tokens    bool      // read what only a report by token shows
}

// ServiceInterval is an interval with what a report by token shows of its service.
type ServiceInterval struct {
	EnabledInterval
	CreatedAt time.Time
	Status    Status // the present one
	Document  string // "" once the subscriber is deleted
}

// IntervalEdge is the beginning or the end of an interval.
type IntervalEdge struct {
	ProductID int
	Change    int // of the number of enabled services: 1 or -1
}

// recordEnabled ends or begins an interval of a service that has moved to a status.
// before is the product that it was enabled with. An intermediate status changes
// nothing, so a change of product counts when it is confirmed.
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

// enabledProduct returns the product that the service is enabled with, 0 for none. It
// may be wrong once a cancellation has superseded a change; nothing but the end
// follows then.
func (s *Service) enabledProduct() int {
	switch {
	case !s.Enabled():
		return 0
	case s.Status == Changed:
		return s.OtherProductID
	}
	return s.ProductID
}
