package provision

import (
	"cmp"
	"time"
)

// ServiceEvents is a service with what happened to it since some event.
type ServiceEvents struct {
	Service
	Document string // "" once the subscriber is deleted, or when it was not asked for
	Events   []StatusEvent
}

// StatusEvent is the part of a status change that usage depends on.
type StatusEvent struct {
	ID                           EventID
	At                           time.Time
	ProductID, PreviousProductID int
	Previous, Status             Status
}

// enabledBefore returns the product that the service was enabled with before its
// events, 0 for none. It is not known when the first event only tells of an
// operation that was running.
func (s *ServiceEvents) enabledBefore() (product int, known bool) {
	if len(s.Events) == 0 {
		return s.enabledProduct()
	}
	first := &s.Events[0]
	product = cmp.Or(first.PreviousProductID, first.ProductID)
	switch first.Previous {
	case Active:
		return product, true
	case Changed, WaitingSuspension, WaitingSuspensionDueToOverdue: // most likely
		return product, false
	case InError, Reactivated, WaitingCancellation:
		return 0, false
	}
	return 0, true
}

// enabledProduct returns the product that the service is enabled with now, 0 for
// none. It is not known when a change was followed by other operations.
func (s *Service) enabledProduct() (product int, known bool) {
	switch {
	case !s.Enabled():
		return 0, true
	case s.Status == Changed:
		return s.OtherProductID, true
	}
	changeFailed := s.Status == InError && s.Kind == ProductChange
	return s.ProductID, s.OtherProductID == 0 || changeFailed
}

// TokenUsage is how long a service was enabled with one product in a period.
type TokenUsage struct {
	Service   ServiceID
	Document  string
	ProductID int
	CreatedAt time.Time
	Status    Status // the present one
	First     time.Time
	Last      time.Time // zero when it still was enabled at the end of the period
	Days      int

	lastDay int // that was counted
}

// enabledChange is the beginning or the end of being enabled with a product.
type enabledChange struct {
	event   EventID
	product int
	begins  bool
}

// serviceUsage folds the events of one service into its usage (decisions.md 14):
// it is enabled from active until suspend, overdue or canceled; an intermediate
// status changes nothing, so a change of product counts when it is confirmed.
type serviceUsage struct {
	period  *UsagePeriod
	changed func(enabledChange) error // called for each within the period

	product int       // that the service is enabled with; 0: none
	since   time.Time // when that began, not before the period
	carried bool      // that began before the period
	atStart int       // the product when the period began
	tokens  []TokenUsage
}

// fold sets the usage to that of a service, which before its events was enabled with
// a product, or none.
func (u *serviceUsage) fold(before int, events []StatusEvent) error {
	start, end := u.period.start(), u.period.end()
	u.product, u.tokens = before, u.tokens[:0]
	i := 0
	for ; i < len(events) && momentOf(events, i).Before(start); i++ {
		u.product = events[i].enabledAfter(u.product)
	}
	u.atStart, u.since, u.carried = u.product, start, true
	for ; i < len(events) && momentOf(events, i).Before(end); i++ {
		if err := u.switchTo(events[i].enabledAfter(u.product), &events[i]); err != nil {
			return err
		}
	}
	if u.product != 0 {
		u.add(time.Time{})
	}
	return nil
}

// momentOf returns when an event happened, which is not before the one before it:
// the clocks of two servers may differ.
func momentOf(events []StatusEvent, i int) time.Time {
	if i > 0 && events[i].At.Before(events[i-1].At) {
		events[i].At = events[i-1].At
	}
	return events[i].At
}

// enabledAfter returns the product that a service is enabled with after an event.
func (e *StatusEvent) enabledAfter(before int) int {
	switch e.Status {
	case Active:
		return e.ProductID
	case Suspended, Overdue, Canceled:
		return 0
	}
	return before
}

// switchTo ends being enabled with a product and begins with another, or with none.
func (u *serviceUsage) switchTo(product int, e *StatusEvent) error {
	if product == u.product {
		return nil
	}
	if u.product != 0 {
		u.add(e.At)
		if err := u.changed(enabledChange{e.ID, u.product, false}); err != nil {
			return err
		}
	}
	u.product, u.since, u.carried = product, e.At, false
	if product == 0 {
		return nil
	}
	return u.changed(enabledChange{e.ID, product, true})
}

// add counts the time since u.since with the present product. It ended at the given
// time; zero: not within the period.
func (u *serviceUsage) add(ended time.Time) {
	if u.carried && ended.Equal(u.since) {
		return // it ended as the period began
	}
	i := 0
	for i < len(u.tokens) && u.tokens[i].ProductID != u.product {
		i++
	}
	if i == len(u.tokens) {
		u.tokens = append(u.tokens, TokenUsage{ProductID: u.product, First: u.since, lastDay: -1})
	}
	t := &u.tokens[i]
	t.Last = ended
	until := ended.Add(-time.Microsecond) // the moment of the end is not enabled any more
	if ended.IsZero() {
		until = EarliestOf(u.period.now, u.period.end().Add(-time.Microsecond))
	}
	if until.Before(u.since) {
		until = u.since
	}
	last := u.period.day(until)
	t.Days += max(0, last-max(u.period.day(u.since), t.lastDay+1)+1)
	t.lastDay = last
}
