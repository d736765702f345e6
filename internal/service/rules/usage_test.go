package rules_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/reports"
	"ativa/internal/service/servicetest"
)

// suspended suspends subscriber n's service, and the partner confirms it.
func (fx *fixture) suspended(n, product int) {
	fx.t.Helper()
	fx.do(domain.RequestSuspend, product, n)
	fx.confirm(n, product, true)
	fx.wantStatus(n, product, domain.Suspended)
}

// A clock that was ten days ahead and is set back does not make intervals overlap.
func TestUsageAfterAClockWasSetBack(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.now = fx.now.AddDate(0, 0, 10)
	fx.suspended(1, playBasic)
	fx.now = fx.now.AddDate(0, 0, -9)
	fx.do(domain.RequestActivate, playBasic, 1)
	fx.confirm(1, playBasic, true)
	fx.now = fx.now.AddDate(0, 0, 9)
	u, _ := fx.usage("2026-02-01", "2026-02-05", time.UTC)
	if want := []reports.ProductUsage{{ProductID: playBasic, AtStart: 1, AtEnd: 1, Peak: 1, Days: 5}}; !slices.Equal(u.Products, want) {
		t.Errorf("got %+v, want %+v", u.Products, want)
	}
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
	fx.active(1, playBasic)
	fx.active(2, playBasic)
	replace := func(n int) {
		fx.suspended(n, playBasic)
		fx.active(10+n, playBasic)
	}
	m := servicetest.New(storeWithHook{fx.store, func() { replace(1) }}, fx.options)
	period, err := m.UsagePeriod("2026-01-01", "2026-01-31", time.UTC)
	fx.must(err)
	reported := 0
	u, err := m.Usage(fx.ctx, fx.p.ID, period, true, func(*reports.TokenUsage) error {
		if reported++; reported == 1 {
			replace(2)
		}
		return nil
	})
	fx.must(err)
	if want := []reports.ProductUsage{{ProductID: playBasic, Activated: 2, AtEnd: 2, Peak: 2, Days: 2}}; !slices.Equal(u.Products, want) || reported != 2 {
		t.Errorf("got %+v of %d services, want %+v of 2", u.Products, reported, want)
	}
	later, _ := fx.usage("2026-01-01", "2026-01-31", time.UTC)
	if want := []reports.ProductUsage{{ProductID: playBasic, Activated: 4, Ended: 2, AtEnd: 2, Peak: 2, Days: 4}}; !slices.Equal(later.Products, want) {
		t.Errorf("got %+v, want %+v", later.Products, want)
	}
}
