package rules_test

import (
	"testing"

	"ativa/internal/service/rules"
)

func TestAFailedChangePutsTheOldProductBackAndALateConfirmationTheNewOne(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	r, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playBasic, playPremium)
	fx.must(err)
	if r.Status != rules.Changed {
		t.Fatalf("got %+v, want changed", r)
	}
	if again, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playBasic, playPremium); err != nil || again.Kind != rules.ResultUnchanged {
		t.Errorf("the same change again: got %+v, %v, want unchanged", again, err)
	}
	op := fx.service(1, playPremium).Operation
	fx.confirmOperation(op, false)
	fx.wantStatus(1, playBasic, rules.InError)
	if got := fx.confirmOperation(op, true); got != rules.PartnerEventApplied {
		t.Fatalf("late confirmation is %d, want applied", got)
	}
	fx.wantStatus(1, playPremium, rules.Active)
	if got := fx.confirmOperation(op, true); got != rules.PartnerEventStale {
		t.Errorf("third confirmation is %d, want stale", got)
	}
}

func TestWhatAChangeIsRefusedFor(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.active(2, alone)
	fx.register(3, 3, playBasic)
	for _, c := range []struct {
		n, from, to int
		want        rules.Code
	}{
		{1, playBasic, 99, rules.UnknownProduct},
		{1, playBasic, ungranted, rules.UnknownProduct},
		{1, playBasic, playBasic, rules.SameProduct},
		{1, playBasic, inactive, rules.ProductInactive},
		{1, playBasic, suspendOnly, rules.ActionNotAllowed},
		{1, playBasic, music, rules.NotReplaceable},
		{2, alone, music, rules.NotReplaceable},
		{9, playBasic, playPremium, rules.SubscriberNotFound},
		{1, music, playBasic, rules.ServiceNotFound},
		{3, playBasic, playPremium, rules.ServiceNotActive},
	} {
		_, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(c.n), c.from, c.to)
		t.Run(string(c.want), func(t *testing.T) { wantCode(t, err, c.want) })
	}
}

func TestActivatingAnotherProductOfTheFamilyIsAChange(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	if r := fx.do(rules.RequestActivate, playPremium, 1); r.Status != rules.Changed || r.Previous != rules.Active {
		t.Fatalf("got %+v, want changed", r)
	}
	fx.confirm(1, playPremium, true)
	fx.wantStatus(1, playPremium, rules.Active)
	fx.do(rules.RequestSuspend, playPremium, 1)
	fx.confirm(1, playPremium, true)
	if r := fx.do(rules.RequestActivate, playBasic, 1); r.Code != rules.ServiceSuspended {
		t.Errorf("family of a suspended service: got %+v, want service_suspended", r)
	}
	fx.wantStatus(1, playPremium, rules.Suspended)
}

// A product does not join a family of which somebody has a live token beside
// one of the product: there would be two, which no change and no check knows.
func TestAProductJoinsAFamilyThatNobodyHasTwiceThen(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic, alone)
	join := func(family string) error {
		_, err := fx.m.UpdateProduct(fx.ctx, alone, func(p *rules.Product) error { p.Family = family; return nil })
		return err
	}
	wantCode(t, join("play"), rules.FamilyConflict)
	fx.must(join("read"))
	fx.do(rules.RequestDeactivate, alone, 1)
	wantCode(t, join("play"), rules.FamilyConflict) // it is not cancelled yet
	fx.confirm(1, alone, true)
	fx.must(join("play"))
	fx.check(t)
}

// While a service may still become one of the product, nothing but the family keeps
// its subscriber from a second one.
func TestAProductStaysInItsFamilyWhileAChangeRuns(t *testing.T) {
	for _, product := range []int{playBasic, playPremium} {
		fx := newFixture(t, 10)
		leave := func() error {
			_, err := fx.m.UpdateProduct(fx.ctx, product, func(p *rules.Product) error { p.Family = ""; return nil })
			return err
		}
		fx.active(1, playBasic)
		_, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playBasic, playPremium)
		fx.must(err)
		wantCode(t, leave(), rules.FamilyConflict)
		op := fx.service(1, playPremium).Operation
		fx.confirmOperation(op, false)
		wantCode(t, leave(), rules.FamilyConflict) // the confirmation may come late
		fx.confirmOperation(op, true)
		fx.must(leave())
	}
}
