package outbox_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/servicetest"
)

// The service is killed and restarted between and during the steps of the retry schedules, a hundred
// times. No delivery is lost, and each kill repeats at most one, under the same id (docs/reliability.md).
func TestRestartsBetweenAllStepsLoseNothing(t *testing.T) {
	t.Parallel()
	const kills, people = 100, 12
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		tries := map[string]int{}
		third := func(id string) bool { // each delivery succeeds at its third attempt
			mu.Lock()
			defer mu.Unlock()
			tries[id]++
			return tries[id] == 3
		}
		refuse := func(_ int, w http.ResponseWriter, r *http.Request) {
			if !third(r.Header.Get("webhook-id")) {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}
		f, partner := newHTTPPartnerFixture(t, servicetest.Options{}, refuse)
		callback := &webhookReceiver{t: t, respond: refuse}
		callback.secret = f.setCallback(f.defaultProvider, f.serve("azul.example", callback))
		mailer := &recordingMailer{}
		mailer.fail = func(email outbox.ActivationEmail) error {
			if !third(email.ID) {
				return errors.New("451 not now")
			}
			return nil
		}
		f.options.Mailer = mailer
		random := rand.New(rand.NewPCG(1, 2))
		f.start()
		documents := f.register(f.defaultProvider, people, 1)
		for range kills {
			if len(documents) > 0 && random.IntN(4) == 0 {
				f.resend(f.defaultProvider, documents[0])
				documents = documents[1:]
			}
			advance(time.Duration(random.Int64N(int64(8 * time.Second))))
			f.stop()
			advance(time.Duration(random.Int64N(int64(4 * time.Hour))))
			f.restart()
		}
		for range 10 { // the rest of the longest waits
			f.stop()
			advance(25 * time.Hour)
			f.restart()
			advance(10 * time.Second)
		}

		// A stop waits for attempts in progress, so it repeats none.
		for kind, got := range map[domain.DeliveryKind][]received{
			domain.PartnerDelivery: partner.messages(), domain.CallbackDelivery: callback.messages(), domain.EmailDelivery: mailer.messages(),
		} {
			all, arrived := f.deliveries(kind), countByID(got)
			if len(all) == 0 {
				t.Errorf("%s: there are no deliveries", kind)
			}
			for _, d := range all {
				id := d.ID.String()
				if kind == domain.PartnerDelivery {
					id = d.Operation.String()
				}
				if d.State != domain.OutboxDone || d.Attempts > 0 && arrived[id] != d.Attempts {
					t.Errorf("%s: %s is %s after %d attempts, and arrived %d times", kind, id, d.State, d.Attempts, arrived[id])
				}
			}
		}
	})
}
