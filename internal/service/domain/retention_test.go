package domain_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// How long rows are kept: a cutoff is the time before which they are deleted; zero keeps all.
func TestRetentionPeriods(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	days := func(n int) time.Time { return now.AddDate(0, 0, -n) }
	usual := domain.RetentionCutoffs{Responses: days(7), Bearers: days(1), Links: days(30), Deliveries: days(30), PartnerEvents: days(30), Record: days(400), Refused: days(30)}
	if got := (domain.RetentionPeriods{}).Cutoffs(now); got != usual {
		t.Errorf("got %+v, want %+v", got, usual)
	}
	const day = 24 * time.Hour
	usual.Deliveries, usual.Events = days(4), days(5)
	if got := (domain.RetentionPeriods{Deliveries: 4 * day, History: 5 * day}).Cutoffs(now); got != usual {
		t.Errorf("got %+v, want %+v", got, usual)
	}
}
