package rules_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// Events of a wrong clock keep their place in the feed; only the beginning of the feed is deleted.
func TestAWrongClockLeavesNoGapInTheFeed(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, times := range map[string][]time.Duration{"ahead": {0, year, time.Hour, 50 * time.Hour}, "behind": {0, 48 * time.Hour, -year, 50 * time.Hour}} {
		fx := newFixture(t, 10)
		right := fx.now
		for n, after := range times {
			fx.now = right.Add(after)
			fx.must(errorOf(fx.m.CreateSubscriber(fx.ctx, fx.call(), fields(n+1))))
		}
		fx.must(fx.store.Purge(fx.ctx, domain.RetentionPeriods{History: 48 * time.Hour}.Cutoffs(fx.now)))
		var all []domain.Event
		for after, more := domain.EventID(0), true; more; {
			events, next, err := fx.m.Events(fx.ctx, fx.p.ID, after, 2)
			if err != nil {
				t.Fatalf("clock %s: after %d events: %v", name, len(all), err)
			}
			all, after, more = append(all, events...), next, len(events) > 0
		}
		if len(all) != 3 {
			t.Errorf("clock %s: got %d events, want all but the first", name, len(all))
		}
		fx.check(t)
	}
}
