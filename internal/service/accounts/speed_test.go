package accounts_test

import (
	"testing"

	"ativa/internal/service/domain"
)

func TestAnInternetSpeedHasItsOwnIDAndText(t *testing.T) {
	fx := newFixture(t)
	added, err := fx.m.AddInternetSpeed(fx.ctx, 100, "  2,5  Gbps ")
	fx.must(err)
	if want := (domain.InternetSpeed{ID: 100, Speed: "2,5 Gbps", Slug: "2-5-gbps"}); added != want {
		t.Errorf("got %+v, want %+v", added, want)
	}
	for _, same := range []string{"2,5 Gbps", "2,5 GBPS", "2.5 gbps", "100 mbps"} {
		wantCode(t, errorOf(fx.m.AddInternetSpeed(fx.ctx, 101, same)), domain.NameTaken)
	}
	for _, id := range []int{38, 100} {
		wantCode(t, errorOf(fx.m.AddInternetSpeed(fx.ctx, id, "3 Gbps")), domain.NameTaken)
	}
	for id, text := range map[int]string{101: " ", 0: "3 Gbps"} {
		wantCode(t, errorOf(fx.m.AddInternetSpeed(fx.ctx, id, text)), domain.ValidationFailed)
	}
}
