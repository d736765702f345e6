package domain_test

import (
	"testing"

	"ativa/internal/service/domain"
)

// A service is enabled while it is active and until an operation that ends this is confirmed
// (decisions.md 8 and 14).
func TestAServiceIsEnabledUntilItsEndIsConfirmed(t *testing.T) {
	for _, c := range []struct {
		status, lastStable domain.Status
		enabled, holds     bool
	}{
		{domain.InProgress, domain.NoService, false, true},
		{domain.LimitReached, domain.NoService, false, false},
		{domain.InError, domain.NoService, false, false},
		{domain.Active, domain.Active, true, true},
		{domain.Active, domain.Suspended, true, true},
		{domain.Changed, domain.Active, true, true},
		{domain.WaitingSuspension, domain.Active, true, true},
		{domain.WaitingSuspensionDueToOverdue, domain.Active, true, true},
		{domain.WaitingCancellation, domain.Active, true, true},
		{domain.InError, domain.Active, true, true},
		{domain.Suspended, domain.Active, false, false},
		{domain.Overdue, domain.Active, false, false},
		{domain.Canceled, domain.Active, false, false},
		{domain.CanceledWithoutActivation, domain.Active, false, false},
		{domain.Suspended, domain.Suspended, false, false},
		{domain.Reactivated, domain.Suspended, false, true},
		{domain.WaitingCancellation, domain.Suspended, false, false},
		{domain.InError, domain.Overdue, false, false},
	} {
		s := domain.Service{Status: c.status, LastStable: c.lastStable, ProductID: 7}
		want := 0
		if c.enabled {
			want = 7
		}
		if got, holds := s.EnabledProduct(), s.HoldsActiveToken(); got != want || holds != c.holds {
			t.Errorf("%s, before %s: got the enabled product %d and an active token %t, want %d, %t", c.status, c.lastStable, got, holds, want, c.holds)
		}
	}
	changed := domain.Service{Status: domain.Changed, LastStable: domain.Active, ProductID: 8, PreviousProductID: 7}
	if got := changed.EnabledProduct(); got != 7 {
		t.Errorf("before a change is confirmed: got the enabled product %d, want the previous one", got)
	}
}
