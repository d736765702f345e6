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

// A link says what its service is. During a change, and while an activation is queued, it can be tried
// later: nothing is cancelled.
func TestALinkDuringAChangeDoesNotSayCancelled(t *testing.T) {
	fx := newFixture(t, 1)
	var link string
	is := func(n int, status domain.Status, want rules.LinkState) {
		t.Helper()
		if s := fx.service(n, playBasic); s.Status != status {
			t.Fatalf("got %s, want %s", s.Status, status)
		}
		if view, err := fx.m.ViewLink(fx.ctx, link); err != nil || view.State != want {
			t.Errorf("%s: got link state %d, %v, want %d", status, view.State, err, want)
		}
		if want != rules.LinkReady {
			fx.wantLink(link, want)
			fx.wantStatus(n, playBasic, status)
		}
	}
	resend := func(n int) {
		_, err := fx.m.Resend(fx.ctx, fx.call(), document(n))
		fx.must(err)
	}
	fx.active(1, playPremium)
	resend(1)
	link = fx.mails()[doc(1)]
	_, err := fx.m.ChangeProduct(fx.ctx, fx.call(), document(1), playPremium, playBasic)
	fx.must(err)
	is(1, domain.Changed, rules.LinkUnavailable)
	fx.confirm(1, playBasic, true)
	is(1, domain.Active, rules.LinkActive)
	for _, c := range []struct {
		request        domain.Request
		waits          domain.Status
		link           rules.LinkState
		confirmed      bool
		then           domain.Status
		linkOfFinished rules.LinkState
	}{
		{domain.RequestSuspend, domain.WaitingSuspension, rules.LinkSuspended, true, domain.Suspended, rules.LinkSuspended},
		{domain.RequestActivate, domain.Reactivated, rules.LinkUnavailable, false, domain.InError, rules.LinkUnavailable},
		{domain.RequestActivate, domain.Reactivated, rules.LinkUnavailable, true, domain.Active, rules.LinkActive},
		{domain.RequestOverdue, domain.WaitingSuspensionDueToOverdue, rules.LinkSuspended, true, domain.Overdue, rules.LinkSuspended},
		{domain.RequestDeactivate, domain.WaitingCancellation, rules.LinkClosed, true, domain.Canceled, rules.LinkClosed},
	} {
		fx.do(c.request, playBasic, 1)
		is(1, c.waits, c.link)
		fx.confirm(1, playBasic, c.confirmed)
		is(1, c.then, c.linkOfFinished)
	}
	fx.register(2, 2, playBasic)
	link = fx.mails()[doc(2)]
	is(2, domain.InProgress, rules.LinkReady)
	fx.confirm(2, playBasic, false)
	is(2, domain.InError, rules.LinkClosed)
	fx.register(3, 3, playBasic) // takes the place
	resend(2)
	is(2, domain.LimitReached, rules.LinkUnavailable)
	fx.do(domain.RequestDeactivate, playBasic, 2)
	is(2, domain.CanceledWithoutActivation, rules.LinkClosed)
}
