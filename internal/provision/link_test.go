package provision_test

import (
	"testing"
	"time"

	"ativa/internal/provision"
)

func TestAnActivationIsCompletedByTheLinkInTheEMail(t *testing.T) {
	w := newWorld(t, 10)
	w.register(1, 1, playBasic)
	w.wantStatus(1, playBasic, provision.InProgress)
	links := w.mails()
	if len(links) != 1 {
		t.Fatalf("got %d e-mails, want 1", len(links))
	}
	link := links[doc(1)]
	view, err := w.m.ViewLink(w.ctx, link)
	w.must(err)
	if view.State != provision.LinkReady || view.Product != "Play Básico" || view.Provider != "Provedor" {
		t.Errorf("got %+v, want a ready link", view)
	}
	w.wantStatus(1, playBasic, provision.InProgress) // looking never activates
	if view, err = w.m.FollowLink(w.ctx, link); err != nil || view.State != provision.LinkDone {
		t.Fatalf("got %+v, %v, want done", view, err)
	}
	w.wantStatus(1, playBasic, provision.Active)
	if view, err = w.m.FollowLink(w.ctx, link); err != nil || view.State != provision.LinkUsed {
		t.Errorf("second use: got %+v, %v, want used", view, err)
	}
	if view, err = w.m.ViewLink(w.ctx, "no such link"); err != nil || view.State != provision.LinkUnknown {
		t.Errorf("got %+v, %v, want unknown", view, err)
	}
}

func TestALinkExpiresAfterSevenDays(t *testing.T) {
	w := newWorld(t, 10)
	w.register(1, 1, playBasic)
	link := w.mails()[doc(1)]
	w.now = w.now.Add(7 * 24 * time.Hour)
	view, err := w.m.FollowLink(w.ctx, link)
	w.must(err)
	if view.State != provision.LinkExpired {
		t.Errorf("got link state %d, want expired", view.State)
	}
	w.wantStatus(1, playBasic, provision.InProgress)
}

func TestAResendReplacesTheEarlierLink(t *testing.T) {
	w := newWorld(t, 10)
	w.register(1, 1, playBasic, music)
	old := w.mails()
	_, err := w.m.Resend(w.ctx, w.call(), document(9))
	wantCode(t, err, provision.SubscriberNotFound)
	if results, err := w.m.Resend(w.ctx, w.call(), document(1)); err != nil || len(results) != 2 || !results[0].Sent || !results[1].Sent {
		t.Fatalf("got %+v, %v, want two sent", results, err)
	}
	view, err := w.m.FollowLink(w.ctx, old[doc(1)])
	w.must(err)
	if view.State != provision.LinkReplaced {
		t.Errorf("old link: got state %d, want replaced", view.State)
	}
	if got := w.click(1); got != provision.LinkDone {
		t.Errorf("new link: got state %d, want done", got)
	}
}

func TestASuspendedServiceHasNothingToResend(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	w.confirm(1, playBasic, true)
	_, err := w.m.Resend(w.ctx, w.call(), document(1))
	wantCode(t, err, provision.NothingToResend)
}
