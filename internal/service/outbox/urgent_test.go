package outbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/outbox"
)

// E-mails of one person's request come before those of an import, also if the mail server is slow and
// many wait.
func TestOnePersonsEMailsGoBeforeThoseOfAnImport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &recordingMailer{fail: func(outbox.ActivationEmail) error { advance(500 * time.Millisecond); return nil }}
		f := newFixture(t, manual)
		f.options.Mailer = m
		f.start()
		f.register(f.defaultProvider, 300, 1)
		advance(20*time.Second + 250*time.Millisecond) // while e-mails are being sent
		before := len(m.emails())
		urgent := f.register(f.defaultProvider, 2, 1)
		f.resend(f.defaultProvider, urgent[1])
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
}
