package domain_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// The state of an e-mail, and its next attempt, as a provider sees them (decisions.md 12).
func TestTheStateOfADelivery(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	soon, before := now.Add(time.Minute), now.Add(-time.Minute)
	for name, c := range map[string]struct {
		is    domain.Delivery
		state domain.DeliveryState
		next  time.Time
	}{
		"later":                      {domain.Delivery{State: domain.OutboxDue, Sequence: 2, NextAt: soon}, domain.DeliveryWaiting, soon},
		"under way":                  {domain.Delivery{State: domain.OutboxLeased, Sequence: 2, NextAt: soon}, domain.DeliveryWaiting, time.Time{}},
		"of a server that is gone":   {domain.Delivery{State: domain.OutboxLeased, Sequence: 2, NextAt: before}, domain.DeliveryWaiting, before},
		"sent":                       {domain.Delivery{State: domain.OutboxDone, Sequence: 1, Attempts: 1}, domain.DeliverySent, time.Time{}},
		"failed":                     {domain.Delivery{State: domain.OutboxDead, Sequence: 1, Attempts: 9}, domain.DeliveryFailed, time.Time{}},
		"obsolete":                   {domain.Delivery{State: domain.OutboxDue, Sequence: 1, NextAt: soon}, domain.DeliverySuperseded, time.Time{}},
		"obsolete while under way":   {domain.Delivery{State: domain.OutboxLeased, Sequence: 1, NextAt: soon}, domain.DeliveryWaiting, time.Time{}},
		"obsolete, the server gone":  {domain.Delivery{State: domain.OutboxLeased, Sequence: 1, NextAt: before}, domain.DeliverySuperseded, time.Time{}},
		"done without an attempt":    {domain.Delivery{State: domain.OutboxDone, Sequence: 2}, domain.DeliverySuperseded, time.Time{}},
		"done after a failed one":    {domain.Delivery{State: domain.OutboxDone, Sequence: 2, Attempts: 1, LastError: "refused"}, domain.DeliverySuperseded, time.Time{}},
		"obsolete since it was sent": {domain.Delivery{State: domain.OutboxDone, Sequence: 1, Attempts: 2}, domain.DeliverySent, time.Time{}},
	} {
		c.is.Kind = domain.EmailDelivery
		d := domain.SubscriberDelivery{Delivery: c.is, Service: domain.Service{Status: domain.InProgress, EmailNumber: 2}}
		if state, next := d.StateAt(now), d.NextAttempt(now); state != c.state || !next.Equal(c.next) {
			t.Errorf("%s: got %s and the next attempt at %s, want %s, %s", name, state, next, c.state, c.next)
		}
	}
}
