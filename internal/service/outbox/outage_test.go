package outbox_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// outage is a destination that is down, and one that works.
type outage struct {
	*fixture
	up       atomic.Bool
	takes    time.Duration // response time while it is down
	attempts atomic.Int64
	other    *webhookReceiver
}

func (o *outage) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if o.attempts.Add(1); !o.up.Load() {
		advance(o.takes)
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (o *outage) send(outbox.ActivationEmail) error {
	if o.attempts.Add(1); !o.up.Load() {
		return &outbox.DeliveryError{Err: errors.New("550 5.4.5"), DestinationDown: true}
	}
	return nil
}

// newOutage returns an outage of a kind with waiting deliveries, whose fixture is not started.
func newOutage(t *testing.T, kind domain.DeliveryKind, waiting int) *outage {
	t.Helper()
	o := &outage{other: &webhookReceiver{t: t}}
	partner := manual
	if kind == domain.PartnerDelivery {
		partner = domain.Partner{Name: "parceiro", Driver: domain.DriverHTTP, URL: "http://down.example/hook"}
	}
	f := newFixture(t, partner)
	o.fixture = f
	down := f.serve("down.example", o)
	f.options.Mailer = nil // e-mails wait, uncounted
	if kind == domain.EmailDelivery {
		f.options.Mailer = &recordingMailer{fail: o.send}
	}
	f.createProducts(domain.Partner{Name: "outro", Driver: domain.DriverHTTP, URL: f.serve("good.example", o.other)}, 11)
	var documents []string
	for left := waiting; left > 0; left -= 5000 {
		documents = append(documents, f.register(f.defaultProvider, min(left, 5000), 1)...)
	}
	if kind == domain.CallbackDelivery {
		o.takes = 15 * time.Second
		f.setCallback(f.defaultProvider, down)
		for _, d := range documents {
			f.resend(f.defaultProvider, d)
		}
	}
	return o
}

// A mail server, partner or receiver is down for an hour while up to 10,000 deliveries wait for it.
// The attempts bound the row writes, the other destination is not delayed, and nothing is lost
// (reliability.md 24).
func TestAnOutageCostsWhatItsAttemptsCost(t *testing.T) {
	for kind, waiting := range map[domain.DeliveryKind]int{domain.EmailDelivery: 3000, domain.PartnerDelivery: 10_000, domain.CallbackDelivery: 500} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := newOutage(t, kind, waiting)
				var written atomic.Int64
				o.manage(&watchedStore{DB: o.store, after: func(call string, rows int) error {
					if !strings.HasPrefix(call, "read ") {
						written.Add(int64(rows))
					}
					return nil
				}})
				o.start()
				const others = 12
				for n := range others {
					advance(5 * time.Minute)
					o.register(o.defaultProvider, 1, 11)
					advance(2 * time.Second)
					if got := len(o.other.messages()); got != n+1 {
						t.Errorf("another destination got %d messages within two seconds, want %d", got, n+1)
					}
				}
				attempts, rows := o.attempts.Load(), written.Load()
				if most := int64(200); attempts > most && kind != domain.CallbackDelivery { // a callback has its own schedule
					t.Errorf("got %d attempts in an hour, want at most %d", attempts, most)
				}
				// An attempt costs a claim, a link, its outcome and, for a callback, the number of failures;
				// some claims are in vain.
				if most := 5 * (attempts + others); attempts == 0 || rows > most {
					t.Errorf("%d row writes for %d attempts and %d others, want at most %d", rows, attempts, others, most)
				}
				o.up.Store(true)
				o.stop()
				advance(3 * time.Hour) // the rest of the longest wait
				o.start()
				advance(2 * time.Minute)
				o.stop()
				if n, m := len(o.deliveries(kind, domain.OutboxDone)), len(o.deliveries(kind, domain.OutboxDead)); n < waiting || m > 0 {
					t.Errorf("%d are delivered and %d given up, want %d and none", n, m, waiting)
				}
			})
		})
	}
}
