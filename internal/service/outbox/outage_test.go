package outbox_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// A mail server, partner or receiver is down for an hour while up to 10,000 deliveries wait for it.
// The attempts bound the row writes, the other destination is not delayed, and nothing is lost
// (docs/reliability.md).
func TestAnOutageCostsWhatItsAttemptsCost(t *testing.T) {
	for kind, waiting := range map[domain.DeliveryKind]int{domain.EmailDelivery: 3000, domain.PartnerDelivery: 10_000, domain.CallbackDelivery: 500} {
		inBubble(t, kind.String(), func(t *testing.T) {
			var up atomic.Bool
			var attempts, written atomic.Int64
			respond := func(_ int, w http.ResponseWriter, _ *http.Request) {
				if attempts.Add(1); !up.Load() {
					advance(15 * time.Second)
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			}
			partner := manual
			if kind == domain.PartnerDelivery {
				partner = domain.Partner{Name: "parceiro", Driver: domain.DriverHTTP, URL: "http://down.example/hook"}
			}
			f := newFixture(t, partner)
			p, down, other := f.defaultProvider, f.serve("down.example", &webhookReceiver{t: t, respond: respond}), &webhookReceiver{t: t}
			f.createProducts(domain.Partner{Name: "outro", Driver: domain.DriverHTTP, URL: f.serve("good.example", other)}, 11)
			f.options.Mailer = nil // e-mails wait, uncounted
			if kind == domain.EmailDelivery {
				f.options.Mailer = &recordingMailer{fail: func(outbox.ActivationEmail) error {
					if attempts.Add(1); !up.Load() {
						return &outbox.DeliveryError{Err: errors.New("550 5.4.5"), DestinationDown: true}
					}
					return nil
				}}
			}
			var documents []string
			for left := waiting; left > 0; left -= 5000 {
				documents = append(documents, f.register(p, min(left, 5000), 1)...)
			}
			if kind == domain.CallbackDelivery {
				f.setCallback(p, down)
				for _, d := range documents {
					f.resend(p, d)
				}
			}
			f.manage(&watchedStore{DB: f.store, after: func(call string, rows int) error {
				if !strings.HasPrefix(call, "read ") {
					written.Add(int64(rows))
				}
				return nil
			}})
			f.start()
			const others = 12
			for n := range others {
				advance(5 * time.Minute)
				f.register(p, 1, 11)
				advance(2 * time.Second)
				if got := len(other.messages()); got != n+1 {
					t.Errorf("another destination got %d messages within two seconds, want %d", got, n+1)
				}
			}
			tried, rows := attempts.Load(), written.Load()
			if most := int64(200); tried > most && kind != domain.CallbackDelivery { // a callback has its own schedule
				t.Errorf("got %d attempts in an hour, want at most %d", tried, most)
			}
			// An attempt costs a claim, a link, its outcome and, for a callback, the number of failures;
			// some claims are in vain.
			if most := 5 * (tried + others); tried == 0 || rows > most {
				t.Errorf("%d row writes for %d attempts and %d others, want at most %d", rows, tried, others, most)
			}
			up.Store(true)
			f.stop()
			advance(3 * time.Hour) // the rest of the longest wait
			f.start()
			advance(2 * time.Minute)
			f.stop()
			if n, m := len(f.deliveries(kind, domain.OutboxDone)), len(f.deliveries(kind, domain.OutboxDead)); n < waiting || m > 0 {
				t.Errorf("%d are delivered and %d given up, want %d and none", n, m, waiting)
			}
		})
	}
}
