package outbox_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
)

var manual = domain.Partner{Name: "parceiro", Driver: domain.DriverManual}

// setCallback registers a receiver as a provider's callback.
func (f *fixture) setCallback(p domain.Provider, url string) []byte {
	f.t.Helper()
	c, err := f.manager.SetCallback(context.Background(), p.Name, url, true)
	f.must(err)
	return c.Secret
}

// wantSchedule starts the worker and checks that the receiver gets one message, and again after each
// of the waits, but never before, although the worker is restarted each time; and then never more.
func (f *fixture) wantSchedule(h *webhookReceiver, waits []time.Duration) {
	f.t.Helper()
	f.start()
	advance(time.Second)
	for i, wait := range waits {
		got := h.messages()
		f.stop()
		advance(time.Until(got[i].at.Add(wait - time.Second)))
		f.start()
		advance(500 * time.Millisecond)
		early := len(h.messages()) - len(got)
		advance(2 * time.Second)
		if got = h.messages(); early != 0 || len(got) != i+2 || got[i+1].id != got[0].id {
			f.t.Fatalf("got %d attempts, %d too early, %s after attempt %d; want another of the same message", len(got), early, wait, i+1)
		}
	}
	f.stop()
	advance(48 * time.Hour)
	f.start()
	advance(2 * time.Second)
	if n := len(h.messages()); n != len(waits)+1 {
		f.t.Errorf("got %d attempts, want %d", n, len(waits)+1)
	}
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
			10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}
		for i := range waits {
			waits[i] += waits[i] / 20
		}
		f.wantSchedule(h, waits)
		d, state := f.newestDelivery(f.defaultProvider, document, domain.CallbackDelivery)
		if state != domain.DeliveryFailed || !strings.Contains(d.LastError, "HTTP 500") {
			t.Errorf("got %s, %q, want it failed with the answer", state, d.LastError)
		}
		if c, err := f.manager.Callback(t.Context(), f.defaultProvider.Name); err != nil || c.Failures != len(waits)+1 {
			t.Errorf("got %+v, %v, want a failure counted for each attempt", c, err)
		}
	})
}

// changeAtClaim makes an operator change a callback after a server has read it to claim its deliveries.
func (f *fixture) changeAtClaim(change func()) {
	f.manage(&watchedStore{DB: f.store, after: func(call string, _ int) error {
		if call == readCallbacks && f.worker != nil && change != nil {
			now := change
			change = nil
			now()
		}
		return nil
	}})
}

// A callback gets another address and secret, or is disabled, right before a claim or between two
// attempts: from then on the former address gets nothing, and the new one gets the same message.
func TestACallbackIsCalledAsItIsAfterTheClaim(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failed, disable bool
	}{"another address": {}, "another address after a failure": {failed: true}, "disabled": {disable: true}} {
		inBubble(t, name, func(t *testing.T) {
			f := newFixture(t, manual)
			former, h := &webhookReceiver{t: t, respond: statuses(500)}, &webhookReceiver{t: t}
			former.secret = f.setCallback(f.defaultProvider, f.serve("azul.example", former))
			document := f.register(f.defaultProvider, 1, 1)[0]
			f.resend(f.defaultProvider, document)
			change, want, messages := func() { h.setSecret(f.setCallback(f.defaultProvider, f.serve("verde.example", h))) }, domain.DeliverySent, 1
			if c.disable {
				change, want, messages = func() { f.enableCallback(false) }, domain.DeliveryFailed, 0
			}
			if c.failed {
				f.start()
				advance(2 * time.Second)
				change()
			} else {
				f.changeAtClaim(change)
				f.start()
			}
			advance(10 * time.Second)
			before, got := former.messages(), h.messages()
			if (len(before) == 1) != c.failed || len(before) > 1 || len(got) != messages || c.failed && got[0].id != before[0].id {
				t.Errorf("got %+v at the former address and %+v at the new one, want %d there", before, got, messages)
			}
			if _, state := f.newestDelivery(f.defaultProvider, document, domain.CallbackDelivery); state != want {
				t.Errorf("got %s, want %s", state, want)
			}
		})
	}
}

func (f *fixture) enableCallback(enabled bool) {
	_, err := f.manager.EnableCallback(context.Background(), f.defaultProvider.Name, enabled)
	f.must(err)
}

// Deliveries to a disabled callback are given up without an attempt, and can be replayed. A server
// that has read the callback before it is enabled and they are replayed does not give them up again.
func TestReplayedCallbacksAreNotGivenUpAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const dead = 250
		f := newFixture(t, manual)
		f.setCallback(f.defaultProvider, f.serve("azul.example", &webhookReceiver{t: t}))
		documents := f.register(f.defaultProvider, dead, 1)
		for _, d := range documents {
			f.resend(f.defaultProvider, d)
		}
		f.enableCallback(false)
		f.start()
		advance(10 * time.Second)
		f.stop()
		if n := len(f.deliveries(domain.CallbackDelivery, domain.OutboxDead)); n != dead {
			t.Fatalf("%d are given up while it is disabled, want %d", n, dead)
		}
		d, state := f.newestDelivery(f.defaultProvider, documents[0], domain.CallbackDelivery)
		if state != domain.DeliveryFailed || d.Attempts != 0 || d.LastError != "callback: it is disabled or was removed" {
			t.Errorf("got %s after %d attempts, %q", state, d.Attempts, d.LastError)
		}
		f.changeAtClaim(func() {
			f.enableCallback(true)
			if replayed, err := f.manager.ReplayCallbacks(context.Background(), f.defaultProvider.ID); err != nil || len(replayed) != dead {
				t.Errorf("got %d replayed, %v, want %d", len(replayed), err, dead)
			}
		})
		another := f.register(f.defaultProvider, 1, 1)[0]
		f.enableCallback(true)
		f.resend(f.defaultProvider, another)
		f.enableCallback(false)
		f.start()
		advance(2 * time.Minute)
		if n, m := len(f.deliveries(domain.CallbackDelivery, domain.OutboxDone)), len(f.deliveries(domain.CallbackDelivery, domain.OutboxDead)); n != dead+1 || m != 0 {
			t.Errorf("%d are delivered and %d given up, want %d and none", n, m, dead+1)
		}
		if d, state = f.newestDelivery(f.defaultProvider, documents[0], domain.CallbackDelivery); state != domain.DeliverySent || d.Attempts != 1 || d.LastError != "" {
			t.Errorf("got %s after %d attempts, %q, want it sent", state, d.Attempts, d.LastError)
		}
	})
}
