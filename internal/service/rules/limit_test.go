package rules_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
)

// brokenStore is a store that cannot write for one provider.
type brokenStore struct {
	servicetest.Store
	provider domain.ProviderID
}

func (s brokenStore) Update(ctx context.Context, p domain.ProviderID, fn func(context.Context, rules.Tx) error) error {
	if p == s.provider {
		return errors.New("the provider's rows are damaged")
	}
	return s.Store.Update(ctx, p, fn)
}

// A provider whose writes fail does not hold up the due schedules and operations of others, even if
// more of its own are due than are read at once.
func TestSchedulesAndTimeOutsOfAProviderThatFailsHoldUpNoOther(t *testing.T) {
	const many = 600 // more than are read at once
	fx := newFixture(t, many, func(o *servicetest.Options) { o.ActivationTTL = 2 * time.Hour })
	broken := fx.p.ID
	fx.register(1, many, music)
	fx.schedule(domain.RequestDeactivate, music, time.Hour, docs(1, many)...)
	other, _, err := fx.m.CreateProvider(fx.ctx, domain.Provider{Name: "Outro", Limit: 10, AllProducts: true})
	fx.must(err)
	fx.p, fx.now = other, fx.now.Add(time.Minute)
	fx.register(1, 2, music)
	fx.schedule(domain.RequestDeactivate, music, time.Hour, doc(1))
	fx.now = fx.now.Add(2 * time.Hour)
	m := servicetest.New(brokenStore{fx.store, broken}, fx.options)
	for what, perform := range map[string]func(context.Context) error{"schedules": m.PerformSchedules, "time-outs": m.Expire} {
		if err := perform(fx.ctx); err == nil {
			t.Errorf("%s: got no error, want that of the provider", what)
		}
	}
	fx.wantStatus(1, music, domain.WaitingCancellation)
	fx.wantStatus(2, music, domain.InError)
}

// The worker promotes activations after another process raised the limit, and SetLimit does: all of every
// provider, even if another fails. A wrong counter of an empty queue does not keep the worker busy.
func TestPromoteStartsQueuedActivationsOfEveryProvider(t *testing.T) {
	fx := newFixture(t, 0)
	other, _, err := fx.m.CreateProvider(fx.ctx, domain.Provider{Name: "Outro", Limit: 10})
	fx.must(err)
	fx.register(1, 3000, playBasic)
	change := func(p domain.ProviderID, change func(*domain.Provider)) {
		fx.must(fx.store.Update(fx.ctx, p, func(ctx context.Context, tx rules.Tx) error {
			provider := tx.Provider()
			change(&provider)
			return tx.SaveProvider(ctx, provider)
		}))
	}
	change(fx.p.ID, func(p *domain.Provider) { p.Limit = 1400 })
	change(other.ID, func(p *domain.Provider) { p.Queued = 1 })

	m := servicetest.New(brokenStore{fx.store, fx.p.ID}, fx.options)
	if err := m.Promote(fx.ctx); err == nil {
		t.Error("one is broken: got no error")
	}
	fx.wantStatus(1, playBasic, domain.LimitReached)
	m = servicetest.New(brokenStore{fx.store, other.ID}, fx.options)
	if err := m.Promote(fx.ctx); err == nil {
		t.Error("the other is broken: got no error")
	}
	fx.wantStatus(1400, playBasic, domain.InProgress)
	fx.wantStatus(1401, playBasic, domain.LimitReached)
	fx.must(fx.m.Promote(fx.ctx))

	fx.woken.Store(0)
	p, err := fx.m.SetLimit(fx.ctx, fx.p.Name, 2900)
	fx.must(err)
	if p.ActiveTokens != 2900 || p.Queued != 100 || fx.woken.Load() == 0 {
		t.Errorf("got %d counted, %d queued and %d wakes, want 2,900, 100 and some", p.ActiveTokens, p.Queued, fx.woken.Load())
	}
}
