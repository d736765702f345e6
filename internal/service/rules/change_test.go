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
