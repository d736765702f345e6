package outbox_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// wantTold compares the newest delivery with a state, the number of attempts and a
// part of the error, "" for none, which never names the recipient.
func (f *fixture) wantTold(document string, kind domain.JobKind, state domain.DeliveryState, attempts int, failure string) {
	f.t.Helper()
	d, got := f.told(f.defaultProvider, document, kind)
	if got != state || d.Attempts != attempts || !strings.Contains(d.LastError, failure) || failure == "" && d.LastError != "" || strings.Contains(d.LastError, "@") {
		f.t.Errorf("got %s after %d attempts, %q; want %s after %d, %q", got, d.Attempts, d.LastError, state, attempts, failure)
	}
	if attempted := d.LastAttemptAt; attempted.IsZero() != (attempts == 0) || attempts > 0 && attempted.Before(d.CreatedAt) {
		f.t.Errorf("got the last of %d attempts at %s", attempts, attempted)
	}
	if next := d.NextAttempt(f.manager.Now()); !next.IsZero() && state != domain.DeliveryWaiting {
		f.t.Errorf("%s: got the next attempt at %s, want none", state, next)
	}
}

// While an attempt is under way, the delivery waits and no next attempt is known.
func TestADeliveryThatHangsIsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mailer := &recordingMailer{}
		f := newFixture(t, manual)
		f.options.Mailer = slowMailer{mailer, 30 * time.Second}
		document := f.register(f.defaultProvider, 1, 1)[0]
		f.start()
		advance(20 * time.Second)
		d, state := f.told(f.defaultProvider, document, domain.EmailJob)
		if next := d.NextAttempt(f.manager.Now()); state != domain.DeliveryWaiting || !next.IsZero() {
			t.Errorf("got %s, the next attempt at %s, want waiting for the one under way", state, next)
		}
		f.request(f.defaultProvider, domain.RequestDeactivate, 1, document)
		f.wantTold(document, domain.EmailJob, domain.DeliveryWaiting, 0, "")
		advance(20 * time.Second)
		f.wantTold(document, domain.EmailJob, domain.DeliverySent, 1, "") // it went out, though too late
	})
}

// slowMailer takes its time for each e-mail.
type slowMailer struct {
	*recordingMailer
	takes time.Duration
}

func (s slowMailer) Send(ctx context.Context, email outbox.ActivationEmail) error {
	advance(s.takes)
	return s.recordingMailer.Send(ctx, email)
}

// A simulated partner is a delivery too; its confirmation and its end are one write.
func TestASimulatedRequestIsSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, domain.Partner{Name: "parceiro", Driver: domain.DriverSimulator, Delay: time.Minute})
		document := f.registerActive(f.defaultProvider, 1, 1)[0]
		f.request(f.defaultProvider, domain.RequestSuspend, 1, document)
		f.start()
		advance(30 * time.Second)
		f.wantTold(document, domain.PartnerJob, domain.DeliveryWaiting, 0, "")
		advance(time.Minute)
		f.wantTold(document, domain.PartnerJob, domain.DeliverySent, 1, "")
		f.wantStatus(f.defaultProvider, document, domain.Suspended)
	})
}

// What a callback was owed when it was disabled is given up, and can be replayed.
func TestWhatADisabledCallbackWasOwedHasFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, manual)
		net, receiver := newNetwork(), &webhookReceiver{t: t}
		f.options.Transport = dialling(net.Dial)
		receiver.secret = f.setCallback(f.defaultProvider, net.serve(t, "azul.example", receiver))
		document := f.register(f.defaultProvider, 1, 1)[0]
		f.resend(f.defaultProvider, document)
		_, err := f.manager.EnableCallback(context.Background(), f.defaultProvider.Name, false)
		f.must(err)
		f.start()
		advance(10 * time.Second)
		d, state := f.told(f.defaultProvider, document, domain.CallbackJob)
		if state != domain.DeliveryFailed || d.Attempts != 0 || d.LastError != "callback: it is disabled or was removed" {
			t.Errorf("got %s after %d attempts, %q", state, d.Attempts, d.LastError)
		}
		_, err = f.manager.EnableCallback(context.Background(), f.defaultProvider.Name, true)
		f.must(err)
		if replayed, err := f.manager.ReplayCallbacks(context.Background(), f.defaultProvider.Name); err != nil || len(replayed) != 1 {
			t.Errorf("got %d replayed, %v, want one", len(replayed), err)
		}
		advance(10 * time.Second)
		f.wantTold(document, domain.CallbackJob, domain.DeliverySent, 1, "")
	})
}
