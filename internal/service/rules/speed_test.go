package rules_test

import (
	"math"
	"testing"

	"ativa/internal/service/domain"
)

// An accepted id works on both databases and in reports.
func TestIDsOfOperatorsHave32Bits(t *testing.T) {
	fx := newFixture(t, 10)
	for _, id := range []int{-1, 0, math.MaxInt32 + 1} {
		wantCode(t, fx.m.CreateProduct(fx.ctx, domain.Product{ID: id, Name: "Play", Code: "play"}), domain.ValidationFailed)
		wantCode(t, errorOf(fx.m.AddInternetSpeed(fx.ctx, id, "9 Gbps")), domain.ValidationFailed)
	}
	fx.sell(domain.Product{ID: math.MaxInt32, Name: "Play", Code: "play"})
	fx.must(fx.m.Grant(fx.ctx, fx.p.Name, []int{math.MaxInt32}, true))
	fx.must(errorOf(fx.m.AddInternetSpeed(fx.ctx, math.MaxInt32, "9 Gbps")))
	f := fields(1)
	f.SpeedID = domain.Some(math.MaxInt32)
	fx.must(errorOf(fx.m.CreateSubscriber(fx.ctx, fx.call(), f)))
	fx.do(domain.RequestActivate, math.MaxInt32, 1)
}
