package rules

import "ativa/internal/service/domain"

// recordEnabled ends or begins an interval of a service after a change of status. before is the
// product that it was enabled with, 0 for none. An intermediate status changes nothing, so a
// change of product counts once it is confirmed.
func (u *unitOfWork) recordEnabled(s *domain.Service, before int, event domain.EventID) {
	after := 0
	switch s.Status {
	case domain.Active:
		after = s.ProductID
	case domain.Suspended, domain.Overdue, domain.Canceled:
	default:
		return
	}
	if before == after {
		return
	}
	if before != 0 {
		u.changes.EndedIntervals = append(u.changes.EndedIntervals, domain.EnabledInterval{Service: s.ID, End: u.now, EndEvent: event})
	}
	if after != 0 {
		u.changes.NewIntervals = append(u.changes.NewIntervals, domain.EnabledInterval{Service: s.ID, ProductID: after, Begin: u.now, BeginEvent: event})
	}
}
