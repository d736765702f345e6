package outbox_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

func TestInvalidMailServersAndSendersAreRefused(t *testing.T) {
	for url, want := range map[string]bool{
		"smtp://127.0.0.1:1": true, "smtp://127.0.0.1:65535": true, "smtp://127.0.0.1:0": false, "smtp://127.0.0.1:65536": false, "smtp://127.0.0.1:x": false,
		"smtp://ativa:p@": false, "http://ativa:p@mail.example.com": false, "smtp://:p@mail.example.com": false, "smtp://ativa@mail.example.com": false,
		"smtp://ativa:p@mail.example.com?insecure=true": false, "smtp://ativa:p@mail.example.com?ca=/absent": false,
		"smtps://ativa:p@mail.example.com?starttls=required": false, "smtp://ativa:p@mail.example.com/path": false,
	} {
		if _, err := outbox.ParseMailServer(url, ""); (err == nil) != want {
			t.Errorf("%s: got %v, want it accepted: %t", url, err, want)
		}
	}
	for from, want := range map[string]bool{
		"ativacao@provedor.example": true, "": false, "nobody": false, "A <a@example.com>": false, "a@example.com\r\nBcc: b@example.com": false, "a@example.com, b@example.com": false,
	} {
		if err := outbox.CheckSender(from); (err == nil) != want {
			t.Errorf("%q: got %v, want it accepted: %t", from, err, want)
		}
	}
}

// A relay out of quota, or whose policy refuses the sender, may refuse at any stage. That never ends
// an activation; an address that is refused for days does, counted from the end of an outage.
func TestOnlyTheAddressEndsAnActivation(t *testing.T) {
	quota, busy := refusing(550, 5, 4, 5), refusing(450, 4, 2, 1)
	for name, c := range map[string]struct {
		stage         string
		first, refuse error         // on the first day, and until the sixth
		tried         time.Duration // on the first day
		concern       string
		want          domain.Status
	}{
		"quota":                      {"data", quota, quota, time.Hour, "server", domain.InProgress},
		"policy":                     {"rcpt", refusing(554, 5, 7, 1), refusing(554, 5, 7, 1), time.Hour, "server", domain.InProgress},
		"full":                       {"mail", refusing(552, 5, 3, 1), refusing(552, 5, 3, 1), time.Hour, "server", domain.InProgress},
		"busy address, for days":     {"rcpt", busy, busy, time.Hour, "address", domain.InError},
		"busy address, seldom tried": {"rcpt", busy, busy, 10 * time.Second, "address", domain.InProgress},
		"busy after an outage":       {"rcpt", quota, busy, time.Hour, "address", domain.InProgress}, // as by greylisting
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, manual)
				m := f.serveMail()
				began := time.Now()
				m.refuseAt(c.stage, func(int) error {
					switch day := time.Since(began) / (24 * time.Hour); {
					case day < 1:
						return c.first
					case day < 6:
						return c.refuse
					}
					return nil
				})
				document := f.register(f.defaultProvider, 1, 1)[0]
				f.start()
				advance(c.tried)
				f.stop()
				advance(5 * 24 * time.Hour)
				f.start()
				advance(10 * time.Second)
				var metrics bytes.Buffer
				f.worker.WriteMetrics(&metrics)
				if !strings.Contains(metrics.String(), fmt.Sprintf("ativa_mail_refusals_total{concern=%q} ", c.concern)) {
					t.Errorf("got the metrics\n%s", &metrics)
				}
				f.stop()
				advance(24 * time.Hour)
				f.start()
				advance(10 * time.Second)
				f.wantStatus(f.defaultProvider, document, c.want)
				if got := m.arrived(); (got == 1) != (c.want == domain.InProgress) {
					t.Errorf("%d e-mails arrived", got)
				}
			})
		})
	}
}
