package outbox_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/servicetest"
)

// newHTTPPartnerFixture returns a fixture whose partner has the driver http.
func newHTTPPartnerFixture(t *testing.T, options servicetest.Options, answer func(int, http.ResponseWriter, *http.Request)) (*fixture, *webhookReceiver) {
	t.Helper()
	h := &webhookReceiver{t: t, respond: answer}
	f := newFixture(t, domain.Partner{Name: "parceiro", Driver: domain.DriverHTTP, URL: "http://partner.example/hook"})
	f.serve("partner.example", h)
	f.managerOptions = options
	partners, err := f.manager.Partners(context.Background())
	f.must(err)
	h.secret = partners[0].Secret
	f.manage(f.store)
	return f, h
}

// A partner asks two servers for a pause: each finds out with the requests that it makes at once, and
// makes no other before the time is over. The partner then fails once more. Every operation is
// requested in the end.
func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const operations, atOnce = 100, 8
		began := time.Now()
		var failed atomic.Bool
		f, h := newHTTPPartnerFixture(t, servicetest.Options{}, func(_ int, w http.ResponseWriter, _ *http.Request) {
			advance(time.Second)
			if time.Since(began) < 10*time.Minute {
				w.Header().Set("Retry-After", "600")
				w.WriteHeader(http.StatusTooManyRequests)
			} else if !failed.Swap(true) {
				w.WriteHeader(http.StatusBadGateway)
			}
		})
		f.options.Mailer = nil
		f.register(f.defaultProvider, operations, 1)
		f.start()
		ctx, cancel := context.WithCancel(t.Context())
		var second sync.WaitGroup
		second.Go(func() { outbox.New(f.manager.Queue, f.manager.Feeds, f.manager, f.options).Run(ctx) })
		advance(9 * time.Minute)
		asked := len(h.messages())
		if asked > 2*atOnce {
			t.Errorf("got %d requests before the time was over, want %d at most", asked, 2*atOnce)
		}
		advance(30 * time.Minute)
		cancel()
		second.Wait()
		f.stop()
		if n, again := len(f.deliveries(domain.PartnerDelivery, domain.OutboxDone)), len(h.messages())-asked; n != operations || again != operations+1 {
			t.Errorf("%d operations were requested in %d more requests, want %d in one more than that", n, again, operations)
		}
	})
}

func countByID(all []received) map[string]int {
	ids := map[string]int{}
	for _, m := range all {
		ids[m.id]++
	}
	return ids
}

// A simulated partner decides after its delay. One that is changed while operations wait decides only
// the next few as before: those claimed within a second.
func TestAChangedSimulatedPartnerAppliesToWaitingOperations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, domain.Partner{Name: "parceiro", Driver: domain.DriverSimulator, Delay: 5 * time.Second})
		f.options.Mailer = nil
		documents := f.registerActive(f.defaultProvider, 700, 1)
		f.request(f.defaultProvider, domain.RequestSuspend, 1, documents...)
		f.start()
		advance(4900 * time.Millisecond)
		f.wantStatus(f.defaultProvider, documents[0], domain.WaitingSuspension)
		advance(time.Second)
		_, err := f.manager.UpdatePartner(t.Context(), "parceiro", func(p *domain.Partner) error { p.FailureRate = 1; return nil })
		f.must(err)
		advance(20 * time.Second)
		counts := map[domain.Status]int{}
		f.must(f.store.EachSubscriber(t.Context(), f.defaultProvider.ID, func(s *domain.SubscriberServices) error {
			counts[s.Services[0].Status]++
			if reason := f.lastReason(f.defaultProvider, string(s.Document)); s.Services[0].Status == domain.InError && reason != "simulated failure" {
				t.Errorf("got the reason %q", reason)
			}
			return nil
		}))
		if counts[domain.Suspended] == 0 || counts[domain.Suspended] > 600 || counts[domain.Suspended]+counts[domain.InError] != len(documents) {
			t.Errorf("got %v, want some to succeed, and at most 600", counts)
		}
	})
}
