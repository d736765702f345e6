package outbox_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/store"
)

var manual = domain.Partner{Name: "parceiro", Driver: domain.DriverManual}

// setCallback registers a receiver as a provider's callback.
func (f *fixture) setCallback(p domain.Provider, url string) []byte {
	f.t.Helper()
	c, err := f.manager.SetCallback(context.Background(), p.Name, url, true)
	f.must(err)
	return c.Secret
}

// The attempts at a callback follow the schedule of decisions.md 8, here with half of the jitter.
func TestACallbackIsTriedTenTimesAndIsThenDead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, manual)
		f.options.Random = func() float64 { return 0.5 }
		h := &webhookReceiver{t: t, respond: statuses(500)}
		h.secret = f.setCallback(f.defaultProvider, f.serve("azul.example", h))
		document := f.register(f.defaultProvider, 1, 1)[0]
		f.resend(f.defaultProvider, document)
		waits := []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
			10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour, 48 * time.Hour}
		f.start()
		advance(time.Second)
		for i, wait := range waits {
			last := h.messages()[i].at
			f.stop()
			advance(time.Until(last.Add(wait*21/20 - time.Second)))
			f.start()
			advance(500 * time.Millisecond)
			if n := len(h.messages()); n != i+1 {
				t.Fatalf("got %d attempts %s after attempt %d, want no other yet", n, time.Since(last), i+1)
			}
			if i == len(waits)-1 {
				break
			}
			advance(2 * time.Second)
			if got := h.messages(); len(got) != i+2 || got[i+1].id != got[0].id {
				t.Fatalf("got %d attempts %s after attempt %d, want another of the same message", len(got), time.Since(last), i+1)
			}
		}
		d, state := f.newestDelivery(f.defaultProvider, document, domain.CallbackJob)
		if state != domain.DeliveryFailed || !strings.Contains(d.LastError, "HTTP 500") {
			t.Errorf("got %s, %q, want it failed with the answer", state, d.LastError)
		}
		if c, err := f.manager.Callback(t.Context(), f.defaultProvider.Name); err != nil || c.Failures != len(waits) {
			t.Errorf("got %+v, %v, want a failure counted for each attempt", c, err)
		}
	})
}

// changingStore is a store in which an operator changes a callback right before its due deliveries
// are claimed.
type changingStore struct {
	*store.DB
	change func()
}

func (s *changingStore) ClaimJobs(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Job, error) {
	if to.Kind == domain.CallbackJob && s.change != nil {
		s.change()
		s.change = nil
	}
	return s.DB.ClaimJobs(ctx, to, n, due, until)
}

// A callback gets another address, or is disabled, after a server has read it: the former address gets
// nothing.
func TestACallbackIsCalledAsItIsAfterTheClaim(t *testing.T) {
	t.Parallel()
	for name, disable := range map[string]bool{"another address": false, "disabled": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, manual)
				former, h := &webhookReceiver{t: t}, &webhookReceiver{t: t}
				former.secret = f.setCallback(f.defaultProvider, f.serve("azul.example", former))
				document := f.register(f.defaultProvider, 1, 1)[0]
				f.resend(f.defaultProvider, document)
				want, messages := domain.DeliverySent, 1
				change := func() { h.setSecret(f.setCallback(f.defaultProvider, f.serve("verde.example", h))) }
				if disable {
					want, messages = domain.DeliveryFailed, 0
					change = func() {
						_, err := f.manager.EnableCallback(context.Background(), f.defaultProvider.Name, false)
						f.must(err)
					}
				}
				f.manage(&changingStore{f.store, change})
				f.start()
				advance(10 * time.Second)
				if n, m := len(former.messages()), len(h.messages()); n != 0 || m != messages {
					t.Errorf("got %d messages at the former address and %d at the new one, want none and %d", n, m, messages)
				}
				if _, state := f.newestDelivery(f.defaultProvider, document, domain.CallbackJob); state != want {
					t.Errorf("got it %s, want %s", state, want)
				}
			})
		})
	}
}

// Deliveries are replayed after a server has read that their callback is disabled: they are not given
// up again.
func TestReplayedCallbacksAreNotGivenUpAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const dead = 250
		f := newFixture(t, manual)
		f.setCallback(f.defaultProvider, f.serve("azul.example", &webhookReceiver{t: t}))
		for _, d := range f.register(f.defaultProvider, dead, 1) {
			f.resend(f.defaultProvider, d)
		}
		enable := func(enabled bool) {
			_, err := f.manager.EnableCallback(context.Background(), f.defaultProvider.Name, enabled)
			f.must(err)
		}
		enable(false)
		f.start()
		advance(10 * time.Second)
		f.stop()
		if n := len(f.jobs(domain.CallbackJob, domain.JobDead)); n != dead {
			t.Fatalf("%d are given up while it is disabled, want %d", n, dead)
		}
		s := &changingStore{DB: f.store}
		f.manage(s)
		s.change = func() {
			enable(true)
			_, err := f.manager.ReplayCallbacks(context.Background(), f.defaultProvider.ID)
			f.must(err)
		}
		another := f.register(f.defaultProvider, 1, 1)[0]
		enable(true)
		f.resend(f.defaultProvider, another)
		enable(false)
		f.start()
		advance(2 * time.Minute)
		if n, m := len(f.jobs(domain.CallbackJob, domain.JobDone)), len(f.jobs(domain.CallbackJob, domain.JobDead)); n != dead+1 || m != 0 {
			t.Errorf("%d are delivered and %d given up, want %d and none", n, m, dead+1)
		}
	})
}

// A callback gets a new address and secret between two attempts: the second is signed with the new
// secret and goes to the new address, under the same id.
func TestARepeatedCallbackIsSignedWithTheNewSecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, manual)
		former, h := &webhookReceiver{t: t, respond: statuses(500)}, &webhookReceiver{t: t}
		former.secret = f.setCallback(f.defaultProvider, f.serve("azul.example", former))
		document := f.register(f.defaultProvider, 1, 1)[0]
		f.resend(f.defaultProvider, document)
		f.start()
		advance(2 * time.Second)
		h.setSecret(f.setCallback(f.defaultProvider, f.serve("verde.example", h)))
		advance(time.Minute)
		if before, got := former.messages(), h.messages(); len(before) != 1 || len(got) != 1 || got[0].id != before[0].id {
			t.Errorf("got %+v at the new address, and %+v at the former, want the same message once at each", got, before)
		}
		if _, state := f.newestDelivery(f.defaultProvider, document, domain.CallbackJob); state != domain.DeliverySent {
			t.Errorf("got it %s", state)
		}
	})
}

// Deliveries to a disabled callback are given up, and can be replayed.
func TestWhatADisabledCallbackWasOwedHasFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, manual)
		receiver := &webhookReceiver{t: t}
		receiver.secret = f.setCallback(f.defaultProvider, f.serve("azul.example", receiver))
		document := f.register(f.defaultProvider, 1, 1)[0]
		f.resend(f.defaultProvider, document)
		_, err := f.manager.EnableCallback(context.Background(), f.defaultProvider.Name, false)
		f.must(err)
		f.start()
		advance(10 * time.Second)
		d, state := f.newestDelivery(f.defaultProvider, document, domain.CallbackJob)
		if state != domain.DeliveryFailed || d.Attempts != 0 || d.LastError != "callback: it is disabled or was removed" {
			t.Errorf("got %s after %d attempts, %q", state, d.Attempts, d.LastError)
		}
		_, err = f.manager.EnableCallback(context.Background(), f.defaultProvider.Name, true)
		f.must(err)
		if replayed, err := f.manager.ReplayCallbacks(context.Background(), f.defaultProvider.ID); err != nil || len(replayed) != 1 {
			t.Errorf("got %d replayed, %v, want one", len(replayed), err)
		}
		advance(10 * time.Second)
		if d, state = f.newestDelivery(f.defaultProvider, document, domain.CallbackJob); state != domain.DeliverySent || d.Attempts != 1 || d.LastError != "" {
			t.Errorf("got %s after %d attempts, %q, want it sent", state, d.Attempts, d.LastError)
		}
	})
}
