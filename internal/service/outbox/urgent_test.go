package outbox_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/servicetest"
)

// Deliveries of one person's request come before those of an import, also if the mail server or
// partner is slow and many wait.
func TestOnePersonsDeliveriesGoBeforeThoseOfAnImport(t *testing.T) {
	const slow = 500 * time.Millisecond
	t.Run("e-mail", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := slowMailer{&recordingMailer{}, slow}
			f := newFixture(t, manual)
			f.options.Mailer = m
			f.start()
			f.register(f.defaultProvider, 300, 1)
			advance(20 * time.Second)
			urgent := f.register(f.defaultProvider, 2, 1)
			f.resend(f.defaultProvider, urgent[1])
			before := len(m.emails())
			advance(3 * time.Second)
			var places []int
			for i, email := range m.emails()[before:] {
				if email.To == "a301@example.com.br" || email.To == "a302@example.com.br" {
					places = append(places, i)
				}
			}
			if len(places) != 2 || places[1] > 3 {
				t.Errorf("two people's e-mails went at the places %v of those after their request, want the first ones", places)
			}
			advance(10 * time.Minute)
			if got := len(m.emails()); got != 302 {
				t.Errorf("%d e-mails were sent, want 302", got)
			}
		})
	})
	t.Run("partner", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f, h, _ := newHTTPPartnerFixture(t, servicetest.Options{}, func(int, http.ResponseWriter, *http.Request) { time.Sleep(slow) })
			documents := f.registerActive(f.defaultProvider, 600, 1)
			f.start()
			advance(time.Second)
			f.request(f.defaultProvider, domain.RequestSuspend, 1, documents[1:]...)
			advance(20 * time.Second)
			before := len(h.messages())
			f.request(f.defaultProvider, domain.RequestSuspend, 1, documents[0])
			operation := f.service(f.defaultProvider, documents[0]).Operation.String()
			advance(2 * time.Second)
			for i, message := range h.messages()[before:] {
				if strings.Contains(message.body, operation) {
					if i > 2*16 {
						t.Errorf("one person's request went after %d others", i)
					}
					return
				}
			}
			t.Errorf("one person's request did not go within two seconds")
		})
	})
}

// slowMailer takes a while for each e-mail.
type slowMailer struct {
	*recordingMailer
	takes time.Duration
}

func (s slowMailer) Send(ctx context.Context, email outbox.ActivationEmail) error {
	advance(s.takes)
	return s.recordingMailer.Send(ctx, email)
}
