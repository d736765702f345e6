package rules_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

func TestStoredResponsesAndTokensAreDeletedInTime(t *testing.T) {
	fx := newFixture(t, 10)
	bearer, err := fx.m.Authenticate(fx.ctx, fx.token)
	fx.must(err)
	call := fx.call()
	call.IdempotencyKey = &rules.IdempotencyKey{Key: [32]byte{1}}
	_, err = fx.m.CreateSubscriber(fx.ctx, call, fields(1))
	fx.must(err)

	// For a day, an expired bearer token is reported as expired, not as invalid.
	begin := fx.now
	fx.now = begin.Add(6*time.Hour + 24*time.Hour)
	fx.must(fx.m.Purge(fx.ctx))
	_, err = fx.m.Identify(fx.ctx, bearer.Token)
	wantCode(t, err, domain.TokenExpired)
	fx.now = fx.now.Add(time.Second)
	fx.must(fx.m.Purge(fx.ctx))
	_, err = fx.m.Identify(fx.ctx, bearer.Token)
	wantCode(t, err, domain.TokenInvalid)

	fx.now = begin.Add(7 * 24 * time.Hour)
	fx.must(fx.m.Purge(fx.ctx))
	_, err = fx.m.CreateSubscriber(fx.ctx, call, fields(1))
	if err != nil || !call.IdempotencyKey.Repeated {
		t.Errorf("after 7 days: got %v, want the stored answer", err)
	}

	fx.now = fx.now.Add(time.Second)
	fx.must(fx.m.Purge(fx.ctx))
	_, err = fx.m.CreateSubscriber(fx.ctx, call, fields(1))
	wantCode(t, err, domain.SubscriberExists) // run again, and refused
}

func TestTheHistoryIsKeptForGoodUnlessASettingSaysOtherwise(t *testing.T) {
	for keep, want := range map[time.Duration]int{0: 2, 48 * time.Hour: 1} {
		fx := newFixture(t, 10, func(o *servicetest.Options) { o.Retention.History = keep })
		_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), fields(1))
		fx.must(err)
		fx.now = fx.now.Add(47 * time.Hour)
		_, err = fx.m.CreateSubscriber(fx.ctx, fx.call(), fields(2))
		fx.must(err)
		fx.now = fx.now.Add(2 * time.Hour)
		fx.must(fx.m.Purge(fx.ctx))
		events, _, err := fx.m.Events(fx.ctx, fx.p.ID, 0, 100)
		if err != nil || len(events) != want {
			t.Errorf("kept for %v: got %d events, %v, want %d", keep, len(events), err, want)
		}
		fx.check(t) // a feed without its oldest events has no gap
	}
}

// Events of a wrong clock keep their place in the feed; only the beginning of the feed is deleted.
func TestAWrongClockLeavesNoGapInTheFeed(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, times := range map[string][]time.Duration{"ahead": {0, year, time.Hour, 50 * time.Hour}, "behind": {0, 48 * time.Hour, -year, 50 * time.Hour}} {
		fx := newFixture(t, 10, func(o *servicetest.Options) { o.Retention.History = 48 * time.Hour })
		right := fx.now
		for n, after := range times {
			fx.now = right.Add(after)
			_, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), fields(n+1))
			fx.must(err)
		}
		fx.must(fx.m.Purge(fx.ctx))
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
