package rules_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
	"ativa/internal/service/servicetest"
)

// at sets the clock.
func (fx *fixture) at(text string) {
	fx.t.Helper()
	now, err := time.Parse(time.DateTime, text)
	fx.must(err)
	fx.now = now.UTC()
}

// suspended suspends subscriber n's service, and the partner confirms it.
func (fx *fixture) suspended(n, product int) {
	fx.t.Helper()
	fx.do(domain.RequestSuspend, product, n)
	fx.confirm(n, product, true)
	fx.wantStatus(n, product, domain.Suspended)
}

// numbers returns the numbers of a product: at start, began, ended, at end, peak and days.
func numbers(u reports.Usage, product int) [6]int {
	for _, p := range u.Products {
		if p.ProductID == product {
			return [6]int{p.AtStart, p.Activated, p.Ended, p.AtEnd, p.Peak, p.Days}
		}
	}
	return [6]int{}
}

func (fx *fixture) wantUsage(from, to string, zone *time.Location, product int, want [6]int) []reports.TokenUsage {
	fx.t.Helper()
	u, tokens := fx.usage(from, to, zone)
	if got := numbers(u, product); got != want {
		fx.t.Errorf("%s to %s in %s, product %d: got start, began, ended, end, peak, days %v, want %v", from, to, zone, product, got, want)
	}
	return tokens
}

// A clock that was days ahead and is set back does not make intervals overlap.
func TestUsageAfterAClockWasSetBack(t *testing.T) {
	fx := newFixture(t, 10)
	fx.at("2026-01-10 08:00:00")
	fx.active(1, playBasic)
	fx.at("2026-01-20 08:00:00") // ten days ahead
	fx.suspended(1, playBasic)
	fx.at("2026-01-10 09:00:00")
	fx.do(domain.RequestActivate, playBasic, 1)
	fx.confirm(1, playBasic, true)
	fx.at("2026-01-15 09:00:00")
	fx.wantUsage("2026-01-01", "2026-01-31", time.UTC, playBasic, [6]int{0, 2, 1, 1, 1, 11})
	fx.at("2026-01-12 09:00:00")
	fx.suspended(1, playBasic)
	fx.at("2026-01-31 09:00:00")
	tokens := fx.wantUsage("2026-01-01", "2026-01-31", time.UTC, playBasic, [6]int{0, 2, 2, 0, 1, 11})
	if len(tokens) != 1 || tokens[0].Last.Before(tokens[0].First) {
		t.Errorf("got %+v", tokens)
	}
	fx.wantUsage("2026-01-15", "2026-01-31", time.UTC, playBasic, [6]int{1, 1, 2, 0, 1, 6})
	fx.wantUsage("2026-01-01", "2026-01-15", time.UTC, playBasic, [6]int{0, 1, 0, 1, 1, 6})
	// A month ahead: what began in February is in February alone.
	fx.at("2026-03-10 08:00:00")
	fx.active(2, music)
	fx.at("2026-02-10 08:00:00")
	fx.suspended(2, music)
	fx.do(domain.RequestActivate, music, 2)
	fx.confirm(2, music, true)
	fx.active(3, music)
	fx.at("2026-03-20 09:00:00")
	fx.wantUsage("2026-02-01", "2026-02-28", time.UTC, music, [6]int{0, 1, 0, 1, 1, 19})
	fx.wantUsage("2026-03-01", "2026-03-31", time.UTC, music, [6]int{1, 2, 1, 2, 2, 31})
}

// storeWithHook calls before when a report has begun and not read anything yet.
type storeWithHook struct {
	servicetest.Store
	before func()
}

func (s storeWithHook) EachInterval(ctx context.Context, p domain.ProviderID, q domain.IntervalQuery, fn func(*domain.ServiceInterval) error) error {
	s.before()
	return s.Store.EachInterval(ctx, p, q, fn)
}

// What happens while a report is read is not in it, and does not wait for it.
func TestUsageIsThatOfOneMoment(t *testing.T) {
	fx := newFixture(t, 10)
	fx.at("2026-03-05 08:00:00")
	fx.active(1, playBasic)
	fx.active(2, playBasic)
	replace := func(n int) {
		fx.suspended(n, playBasic)
		fx.active(10+n, playBasic)
	}
	m := servicetest.New(storeWithHook{fx.store, func() { replace(1) }}, fx.options)
	period, err := m.UsagePeriod("2026-03-01", "2026-03-31", time.UTC)
	fx.must(err)
	reported := 0
	u, err := m.Usage(fx.ctx, fx.p.ID, period, true, func(*reports.TokenUsage) error {
		if reported++; reported == 1 {
			replace(2)
		}
		return nil
	})
	fx.must(err)
	if got, want := numbers(u, playBasic), [6]int{0, 2, 0, 2, 2, 2}; got != want || reported != 2 {
		t.Errorf("got start, began, ended, end, peak, days %v of %d services, want %v of 2", got, reported, want)
	}
	fx.wantUsage("2026-03-01", "2026-03-31", time.UTC, playBasic, [6]int{0, 4, 2, 2, 2, 4})
}
