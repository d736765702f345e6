package rules_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

func TestAnActivationIsCompletedByTheLinkInTheEMail(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	fx.wantStatus(1, playBasic, domain.InProgress)
	links := fx.mails()
	if len(links) != 1 {
		t.Fatalf("got %d e-mails, want 1", len(links))
	}
	link := links[doc(1)]
	view, err := fx.m.ViewLink(fx.ctx, link)
	fx.must(err)
	if view.State != rules.LinkReady || view.Product.Name != "Play Básico" || view.Provider != "Provedor" {
		t.Errorf("got %+v, want a ready link", view)
	}
	fx.wantStatus(1, playBasic, domain.InProgress) // looking never activates
	fx.wantLink(link, rules.LinkDone)
	fx.wantStatus(1, playBasic, domain.Active)
	fx.wantLink(link, rules.LinkActive) // pressed twice
	fx.do(domain.RequestSuspend, playBasic, 1)
	fx.wantLink(link, rules.LinkUsed)
	fx.wantLink("no such link", rules.LinkUnknown)
}

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
}
