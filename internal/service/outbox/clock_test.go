package outbox_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/servicetest"
)

// The clock is set ahead by days, during a delivery of each kind while more wait, and back five
// minutes later. Every delivery is made, none is given up, one in progress is repeated at most once
// under its id, and retention deletes nothing.
func TestAClockSetAheadByDaysGivesNothingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(int, http.ResponseWriter, *http.Request) { advance(5 * time.Second) }
		mailer := &recordingMailer{fail: func(outbox.ActivationEmail) error { advance(5 * time.Second); return nil }}
		var offset atomic.Int64
		clock := func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
		f, partner := newHTTPPartnerFixture(t, servicetest.Options{Clock: clock}, slow)
		callback, feed := &webhookReceiver{t: t, respond: slow}, &webhookReceiver{t: t, respond: slow}
		f.setCallback(f.defaultProvider, f.serve("azul.example", callback))
		f.setFeedCallback(f.defaultProvider, f.serve("feed.example", feed), true)
		partner.secret = nil // the wrong clock signs
		f.options.Mailer = mailer
		f.start()
		_, secret, err := f.manager.CreateToken(t.Context(), domain.Caller{Provider: f.defaultProvider.ID}, domain.AccessToken{Name: "painel"})
		f.must(err)
		bearer, err := f.manager.Authenticate(t.Context(), secret) // ends after hours
		f.must(err)
		advance(58 * time.Minute)
		documents := f.register(f.defaultProvider, 6, 1)
		for _, d := range documents {
			f.resend(f.defaultProvider, d)
		}
		advance(2 * time.Second)
		offset.Store(int64(60 * 24 * time.Hour))
		advance(5 * time.Minute) // an hour after the worker began
		offset.Store(0)
		advance(3 * time.Minute)
		if _, err := f.manager.Identify(t.Context(), bearer.Token); err != nil {
			t.Errorf("the bearer token: got %v, want it kept", err)
		}
		for _, kind := range []domain.DeliveryKind{domain.EmailDelivery, domain.CallbackDelivery, domain.PartnerDelivery} {
			if open := f.deliveries(kind, domain.OutboxDue, domain.OutboxLeased, domain.OutboxDead); len(open) != 0 {
				t.Errorf("%s: %d are not delivered; the first is %s for %s more, after %d attempts", kind, len(open), open[0].State, time.Until(open[0].NextAt), open[0].Attempts)
			}
		}
		if n := f.feedCallback(f.defaultProvider).EventsBehind(); n != 0 {
			t.Errorf("the feed is %d events behind", n)
		}
		for _, d := range documents {
			f.wantStatus(f.defaultProvider, d, domain.InProgress)
		}
		made := slices.Concat(partner.messages(), callback.messages(), feed.messages(), mailer.messages())
		for id, n := range countByID(made) {
			if n > 2 {
				t.Errorf("%s was delivered %d times, want twice at most", id, n)
			}
		}
	})
}
