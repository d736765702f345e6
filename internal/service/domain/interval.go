package domain

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
