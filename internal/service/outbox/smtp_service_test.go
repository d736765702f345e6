package outbox_test

import (
	"bytes"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// TestSenders logs only the errors of attempts.
func TestThePasswordIsInNoError(t *testing.T) {
	const wrong = "s3cr3t-and-wrong"
	m := newMailServer(t)
	m.startTLS()
	s := mailerTo(t, "smtp://ativa:"+wrong+"@mail.example.com:587?ca="+m.ca, "", m.listen(t, false))
	err := s.Send(t.Context(), testEmail(1))
	if !isDown(err) || !strings.Contains(err.Error(), "535 5.7.8") || strings.Contains(err.Error(), wrong) {
		t.Errorf("got %v, want 535 without the password", err)
	}
	for _, url := range []string{
		"smtp://ativa:" + wrong + "@mail.example.com:x", "smtp://ativa:" + wrong + "@", "http://ativa:" + wrong + "@mail.example.com",
		"smtp://ativa:" + wrong + "@mail.example.com:99999", "smtp://:" + wrong + "@mail.example.com", "smtp://ativa@mail.example.com",
		"smtp://ativa:" + wrong + "@mail.example.com?insecure=true", "smtp://ativa:" + wrong + "@mail.example.com?ca=/absent",
		"smtps://ativa:" + wrong + "@mail.example.com?starttls=required", "smtp://ativa:" + wrong + "@mail.example.com/path",
	} {
		if _, err := outbox.ParseMailServer(url, ""); err == nil || strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: got %v, want an error without the password", url, err)
		}
	}
}

// A relay out of quota, or whose policy refuses the sender, may refuse at any stage. That never ends
// an activation; an address that is refused for days does.
func TestOnlyTheAddressEndsAnActivation(t *testing.T) {
	for name, c := range map[string]struct {
		stage  string
		refuse error
		errs   bool
	}{
		"quota":                  {"data", refusing(550, 5, 4, 5), false},
		"policy":                 {"rcpt", refusing(554, 5, 7, 1), false},
		"full":                   {"mail", refusing(552, 5, 3, 1), false},
		"busy address, for days": {"rcpt", refusing(450, 4, 2, 1), true},
		"busy after an outage":   {"outage", refusing(450, 4, 2, 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, manual)
				m := f.serveMail()
				var works atomic.Bool
				began := time.Now()
				refuse := func(int) error {
					if works.Load() {
						return nil
					}
					return c.refuse
				}
				if c.stage == "outage" { // then each address is refused for a while, as by greylisting
					m.atRcpt = func(n int) error {
						if time.Since(began) < 24*time.Hour {
							return refusing(550, 5, 4, 5)
						}
						return refuse(n)
					}
				} else {
					m.refuseAt(c.stage, refuse)
				}
				documents := f.register(f.defaultProvider, 3, 1)
				f.start()
				advance(4 * time.Minute)
				if c.stage == "outage" { // each is attempted often
					advance(time.Hour)
				}
				f.stop()
				advance(5 * 24 * time.Hour)
				f.start()
				advance(10 * time.Second)
				var log bytes.Buffer
				f.worker.WriteMetrics(&log)
				if counted := strings.Contains(log.String(), `ativa_mail_refusals_total{concern="server"} `); counted != (c.stage != "data" && c.stage != "outage" && !c.errs || name == "quota") {
					t.Errorf("got the metrics\n%s", log.String())
				}
				works.Store(true)
				f.stop()
				advance(2 * time.Hour)
				f.start()
				advance(10 * time.Second)
				want := domain.InProgress
				if c.errs {
					want = domain.InError
				}
				for _, d := range documents {
					f.wantStatus(f.defaultProvider, d, want)
				}
				if got := m.arrived(); got != 3 && !c.errs {
					t.Errorf("%d e-mails arrived, want 3", got)
				}
			})
		})
	}
}

func TestTheSenderIsOnePlainAddress(t *testing.T) {
	server, err := outbox.ParseMailServer("smtp://127.0.0.1", "")
	must(t, err)
	for _, from := range []string{"", "nobody", "A <a@example.com>", "a@example.com\r\nBcc: b@example.com", "a@example.com, b@example.com"} {
		if _, err := outbox.NewSMTPMailer(server, from); err == nil {
			t.Errorf("%q is accepted", from)
		}
	}
	if _, err := outbox.NewSMTPMailer(server, "ativacao@provedor.example"); err != nil {
		t.Error(err)
	}
}

func TestThePortOfTheMailServerIsWithinItsRange(t *testing.T) {
	for port, want := range map[string]bool{"1": true, "65535": true, "0": false, "65536": false} {
		if _, err := outbox.ParseMailServer("smtp://127.0.0.1:"+port, ""); (err == nil) != want {
			t.Errorf("port %s: got %v", port, err)
		}
	}
}
