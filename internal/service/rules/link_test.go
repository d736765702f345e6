package rules_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// wantLink follows a link.
func (fx *fixture) wantLink(secret string, want rules.LinkState) {
	fx.t.Helper()
	if view, err := fx.m.FollowLink(fx.ctx, secret); err != nil || view.State != want {
		fx.t.Fatalf("got link state %d, %v, want %d", view.State, err, want)
	}
}

func TestALinkExpiresAfterSevenDays(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	link := fx.mails()[doc(1)]
	fx.now = fx.now.Add(7 * 24 * time.Hour)
	fx.wantLink(link, rules.LinkExpired)
	fx.wantStatus(1, playBasic, domain.InProgress)
	fx.wantLink("no such link", rules.LinkUnknown)
}
