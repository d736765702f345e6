package outbox_test

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

// A setting that is not known, or is given twice, is refused, and no error repeats the password.
func TestInvalidMailServersAndSendersAreRefused(t *testing.T) {
	const server = "smtp://" + signedIn + "mail.example.com"
	for url, want := range map[string]bool{
		server: true, "smtp://[::1]:25": true, "smtp://127.0.0.1:1": true, "smtp://127.0.0.1:65535/": true,
		server + "?helo=a.example&starttls=required": true,

		server + ":0": false, server + ":65536": false, server + ":x": false, server + ":%zz": false,
		"smtp://" + signedIn: false, "http://" + signedIn + "mail.example.com": false, "smtp:" + signedIn + "mail.example.com": false,
		"smtp://:" + mailPassword + "@mail.example.com": false, "smtp://ativa@mail.example.com": false,
		server + "/path": false, server + "#fragment": false, server + "?insecure=true": false, server + "?starttls=no": false,
		server + "?helo=a&helo=b": false, server + "?helo=%zz": false, server + "?starttls=required;helo=x": false,
		server + "?ca=/absent": false, "smtps://" + signedIn + "mail.example.com?starttls=required": false,
	} {
		if _, err := outbox.ParseMailServer(url, ""); (err == nil) != want || !want && strings.Contains(err.Error(), mailPassword) {
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
		first, refuse error         // on the first day, and until the sixth
		tried         time.Duration // on the first day
		concern       string
		want          domain.Status
	}{
		"quota":                      {quota, quota, time.Hour, "server", domain.InProgress},
		"busy address, for days":     {busy, busy, time.Hour, "address", domain.InError},
		"busy address, seldom tried": {busy, busy, 10 * time.Second, "address", domain.InProgress},
		"busy after an outage":       {quota, busy, time.Hour, "address", domain.InProgress}, // as by greylisting
	} {
		inBubble(t, name, func(t *testing.T) {
			f := newFixture(t, manual)
			m := f.serveMail()
			began := time.Now()
			m.at = func(stage string, _ int, _ net.Conn) error {
				switch day := time.Since(began) / (24 * time.Hour); {
				case stage != atRcpt:
				case day < 1:
					return c.first
				case day < 6:
					return c.refuse
				}
				return nil
			}
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
			if got := len(m.arrived()); (got == 1) != (c.want == domain.InProgress) {
				t.Errorf("%d e-mails arrived", got)
			}
		})
	}
}
