package rules_test

import (
	"testing"

	"ativa/internal/service/domain"
)

// last returns subscriber n's newest event.
func (fx *fixture) last(n int) domain.Event {
	fx.t.Helper()
	all, err := fx.m.History(fx.ctx, fx.p.ID, document(n))
	fx.must(err)
	return all[len(all)-1]
}

// An event names the replaced product: when a change begins, when it fails and the old product
// returns, and when it is confirmed late.
func TestAnEventNamesTheProductItReplaced(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	want := func(status domain.Status, product, previous int) {
		t.Helper()
		if e := fx.last(1); e.Status != status || e.ProductID != product || e.PreviousProductID != previous {
			t.Errorf("got %s of product %d after %d, want %s of %d after %d", e.Status, e.ProductID, e.PreviousProductID, status, product, previous)
		}
	}
	want(domain.Active, playBasic, 0)
	fx.must(errorOf(fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playBasic, playPremium)))
	want(domain.Changed, playPremium, playBasic)
	operation := fx.service(1, playPremium).Operation
	fx.confirmOperation(operation, false)
	want(domain.InError, playBasic, playPremium)
	fx.confirmOperation(operation, true) // late
	want(domain.Active, playPremium, playBasic)
	fx.must(errorOf(fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playPremium, playBasic)))
	fx.confirm(1, playBasic, true)
	want(domain.Active, playBasic, 0)
}
