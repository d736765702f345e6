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
	if view, err = fx.m.FollowLink(fx.ctx, link); err != nil || view.State != rules.LinkDone {
		t.Fatalf("got %+v, %v, want done", view, err)
	}
	fx.wantStatus(1, playBasic, domain.Active)
	if view, err = fx.m.FollowLink(fx.ctx, link); err != nil || view.State != rules.LinkActive {
		t.Errorf("second press: got %+v, %v, want active", view, err)
	}
	fx.do(domain.RequestSuspend, playBasic, 1)
	if view, err = fx.m.FollowLink(fx.ctx, link); err != nil || view.State != rules.LinkUsed {
		t.Errorf("once it is suspended: got %+v, %v, want used", view, err)
	}
	if view, err = fx.m.ViewLink(fx.ctx, "no such link"); err != nil || view.State != rules.LinkUnknown {
		t.Errorf("got %+v, %v, want unknown", view, err)
	}
}

func TestALinkExpiresAfterSevenDays(t *testing.T) {
	fx := newFixture(t, 10)
	fx.register(1, 1, playBasic)
	link := fx.mails()[doc(1)]
	fx.now = fx.now.Add(7 * 24 * time.Hour)
	view, err := fx.m.FollowLink(fx.ctx, link)
	fx.must(err)
	if view.State != rules.LinkExpired {
		t.Errorf("got link state %d, want expired", view.State)
	}
	fx.wantStatus(1, playBasic, domain.InProgress)
}
