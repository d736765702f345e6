package rules_test

import (
	"testing"

	"ativa/internal/service/domain"
)

func TestWhatAChangeIsRefusedFor(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.active(2, alone)
	fx.register(3, 3, playBasic)
	for _, c := range []struct {
		n, from, to int
		want        domain.Code
	}{
		{1, playBasic, 99, domain.UnknownProduct},
		{1, playBasic, ungranted, domain.UnknownProduct},
		{1, playBasic, playBasic, domain.SameProduct},
		{1, playBasic, inactive, domain.ProductInactive},
		{1, playBasic, suspendOnly, domain.ActionNotAllowed},
		{1, playBasic, music, domain.NotReplaceable},
		{2, alone, music, domain.NotReplaceable},
		{9, playBasic, playPremium, domain.SubscriberNotFound},
		{1, music, playBasic, domain.ServiceNotFound},
		{3, playBasic, playPremium, domain.ServiceNotActive},
	} {
		_, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(c.n), c.from, c.to)
		t.Run(string(c.want), func(t *testing.T) { wantCode(t, err, c.want) })
	}
}

// A product cannot join a family if a subscriber has live tokens of both: the subscriber would then
// have two live tokens of one family.
func TestAProductJoinsAFamilyThatNobodyHasTwiceThen(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic, alone)
	join := func(family string) error {
		_, err := fx.m.UpdateProduct(fx.ctx, alone, func(p *domain.Product) error { p.Family = family; return nil })
		return err
	}
	wantCode(t, join("play"), domain.FamilyConflict)
	fx.must(join("read"))
	fx.do(domain.RequestDeactivate, alone, 1)
	wantCode(t, join("play"), domain.FamilyConflict) // the service is not cancelled yet
	fx.confirm(1, alone, true)
	fx.must(join("play"))
	fx.check(t)
}

// A product cannot leave its family during a change to it: only the family prevents a second service
// of the subscriber.
func TestAProductStaysInItsFamilyWhileAChangeRuns(t *testing.T) {
	for _, product := range []int{playBasic, playPremium} {
		fx := newFixture(t, 10)
		leave := func() error {
			_, err := fx.m.UpdateProduct(fx.ctx, product, func(p *domain.Product) error { p.Family = ""; return nil })
			return err
		}
		fx.active(1, playBasic)
		_, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playBasic, playPremium)
		fx.must(err)
		wantCode(t, leave(), domain.FamilyConflict)
		op := fx.service(1, playPremium).Operation
		fx.confirmOperation(op, false)
		wantCode(t, leave(), domain.FamilyConflict) // the confirmation may come late
		fx.confirmOperation(op, true)
		fx.must(leave())
	}
}
