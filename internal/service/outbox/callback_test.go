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
