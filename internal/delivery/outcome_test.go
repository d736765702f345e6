package delivery_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/delivery"
	"ativa/internal/provision"
)

// told is what the service tells of a subscriber's newest delivery of a kind.
func (f *fixture) told(document string, kind provision.JobKind) (provision.SubscriberDelivery, provision.DeliveryState) {
	f.t.Helper()
	all, err := f.manager.SubscriberDeliveries(context.Background(), f.defaultProvider.ID, cpf.Document(document))
	f.must(err)
	for _, d := range all {
		if d.Kind == kind {
			return d, d.StateAt(f.manager.Now())
		}
	}
	f.t.Fatalf("there is no %s", kind)
	return provision.SubscriberDelivery{}, ""
}

// wantTold compares the newest delivery with a state, the number of attempts and a
// part of the error, "" for none, which never names the recipient.
func (f *fixture) wantTold(document string, kind provision.JobKind, state provision.DeliveryState, attempts int, failure string) {
	f.t.Helper()
	d, got := f.told(document, kind)
	if got != state || d.Attempts != attempts || !strings.Contains(d.LastError, failure) || failure == "" && d.LastError != "" || strings.Contains(d.LastError, "@") {
		f.t.Errorf("got %s after %d attempts, %q; want %s after %d, %q", got, d.Attempts, d.LastError, state, attempts, failure)
	}
	if attempted := d.LastAttempt(); attempted.IsZero() != (attempts == 0) || attempts > 0 && attempted.Before(d.CreatedAt) {
		f.t.Errorf("got the last of %d attempts at %s", attempts, attempted)
	}
	if next := d.NextAttempt(f.manager.Now()); !next.IsZero() && state != provision.DeliveryWaiting {
		f.t.Errorf("%s: got the next attempt at %s, want none", state, next)
	}
}

// A mail server that accepts, refuses now or for good, hangs, or loses the
// connection: the delivery tells what happened, also after the service was stopped
// and started between the steps.
func TestADeliveryTellsWhatTheMailServerDid(t *testing.T) {
	type step struct {
		after    time.Duration
		state    provision.DeliveryState
		attempts int
		failure  string
	}
	const waiting, sent, failed = provision.DeliveryWaiting, provision.DeliverySent, provision.DeliveryFailed
	for name, c := range map[string]struct {
		prepare func(*mailServer)
		steps   []step
	}{
		"accepts": {func(*mailServer) {}, []step{{time.Second, sent, 1, ""}, {10 * time.Minute, sent, 1, ""}}},
		"refuses now": {func(m *mailServer) {
			m.atRcpt = func(n int) error {
				if n < 2 {
					return refusing(450, 4, 2, 1)
				}
				return nil
			}
		}, []step{{time.Second, waiting, 1, "450 4.2.1 at the recipient"}, {6 * time.Second, waiting, 2, "450"}, {time.Minute, sent, 3, ""}}},
		"refuses for good": {func(m *mailServer) { m.atRcpt = func(int) error { return refusing(550, 5, 1, 1) } },
			[]step{{time.Second, failed, 1, "550 5.1.1 at the recipient"}, {10 * time.Minute, failed, 1, "550"}}},
		"hangs": {func(m *mailServer) {
			m.atData = func(n int) error {
				if n == 0 {
					<-time.After(10 * time.Minute)
					return errDrop
				}
				return nil
			}
		}, []step{{55 * time.Second, waiting, 1, "the connection was lost"}, {11 * time.Minute, sent, 2, ""}}},
		"loses the connection": {func(m *mailServer) {
			m.atData = func(n int) error {
				if n == 0 {
					return errDrop
				}
				return nil
			}
		}, []step{{time.Second, waiting, 1, "the connection was lost"}, {11 * time.Minute, sent, 2, ""}}},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restart %t", name, restart), func(t *testing.T) {
				t.Parallel()
				m := newMailServer(t)
				c.prepare(m)
				synctest.Test(t, func(t *testing.T) {
					n := newNetwork()
					go m.server.Serve(n.listen(t, "127.0.0.1:25"))
					s := mailerTo(t, "smtp://127.0.0.1:25", "", nil)
					s.DialWith(n.Dial)
					f := newFixture(t, manual)
					f.options.Mailer = s
					document := f.register(f.defaultProvider, 1, 1)[0]
					f.wantTold(document, provision.EmailJob, waiting, 0, "")
					f.start()
					for _, step := range c.steps {
						advance(step.after)
						if restart {
							f.restart()
						}
						f.wantTold(document, provision.EmailJob, step.state, step.attempts, step.failure)
					}
					f.stop()
					m.server.Close()
				})
			})
		}
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
		d, state := f.told(document, provision.EmailJob)
		if next := d.NextAttempt(f.manager.Now()); state != provision.DeliveryWaiting || !next.IsZero() {
			t.Errorf("got %s, the next attempt at %s, want waiting for the one under way", state, next)
		}
		f.request(f.defaultProvider, provision.RequestDeactivate, 1, document)
		f.wantTold(document, provision.EmailJob, provision.DeliveryWaiting, 0, "")
		advance(20 * time.Second)
		f.wantTold(document, provision.EmailJob, provision.DeliverySent, 1, "") // it went out, though too late
	})
}

// slowMailer takes its time for each e-mail.
type slowMailer struct {
	*recordingMailer
	takes time.Duration
}

func (s slowMailer) Send(ctx context.Context, email delivery.ActivationEmail) error {
	advance(s.takes)
	return s.recordingMailer.Send(ctx, email)
}

func TestADeliveryTellsWhatThePartnerDid(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprintf("restart %t", restart), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, _, _ := newHTTPPartnerFixture(t, provision.Options{}, statuses(503, 503, 202, 422))
				document := f.registerActive(f.defaultProvider, 1, 1)[0]
				f.request(f.defaultProvider, provision.RequestSuspend, 1, document)
				f.wantTold(document, provision.PartnerJob, provision.DeliveryWaiting, 0, "")
				f.start()
				again := func(d time.Duration) {
					advance(d)
					if restart {
						f.restart()
					}
				}
				again(time.Second)
				f.wantTold(document, provision.PartnerJob, provision.DeliveryWaiting, 1, "partner: HTTP 503")
				again(time.Hour)
				f.wantTold(document, provision.PartnerJob, provision.DeliverySent, 3, "")
				f.request(f.defaultProvider, provision.RequestDeactivate, 1, document)
				again(time.Minute)
				f.wantTold(document, provision.PartnerJob, provision.DeliveryFailed, 1, "partner: HTTP 422")
			})
		})
	}
}

// A simulated partner is a delivery too; its confirmation and its end are one write.
func TestASimulatedRequestIsSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, provision.Partner{Name: "parceiro", Driver: provision.DriverSimulator, Delay: time.Minute})
		document := f.registerActive(f.defaultProvider, 1, 1)[0]
		f.request(f.defaultProvider, provision.RequestSuspend, 1, document)
		f.start()
		advance(30 * time.Second)
		f.wantTold(document, provision.PartnerJob, provision.DeliveryWaiting, 0, "")
		advance(time.Minute)
		f.wantTold(document, provision.PartnerJob, provision.DeliverySent, 1, "")
		f.wantStatus(f.defaultProvider, document, provision.Suspended)
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
		d, state := f.told(document, provision.CallbackJob)
		if state != provision.DeliveryFailed || d.Attempts != 0 || d.LastError != "callback: it is disabled or was removed" {
			t.Errorf("got %s after %d attempts, %q", state, d.Attempts, d.LastError)
		}
		_, err = f.manager.EnableCallback(context.Background(), f.defaultProvider.Name, true)
		f.must(err)
		if replayed, err := f.manager.ReplayCallbacks(context.Background(), f.defaultProvider.Name); err != nil || len(replayed) != 1 {
			t.Errorf("got %d replayed, %v, want one", len(replayed), err)
		}
		advance(10 * time.Second)
		f.wantTold(document, provision.CallbackJob, provision.DeliverySent, 1, "")
	})
}
