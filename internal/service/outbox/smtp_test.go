package outbox_test

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/service/outbox"
)

func testEmail(n int) outbox.ActivationEmail {
	return outbox.ActivationEmail{ID: fmt.Sprintf("job_%d", n), To: "joao@example.com.br", Name: "João da Silva", Provider: "Provedor Açaí", Product: "Play Básico",
		Link: "https://ativa.example/activate/secret", Date: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
}

// A server bounces an SMTPUTF8 e-mail if the next server does not support it, so only an accented
// local part asks for it: an accented domain has an ASCII form. Nothing of such an e-mail is sent to
// a server without SMTPUTF8, and the next one is sent (decisions.md 7).
func TestOnlyAnAddressThatIsNotASCIIAsksForSMTPUTF8(t *testing.T) {
	for _, offered := range []bool{true, false} {
		m := newMailServer(t)
		m.server.EnableSMTPUTF8 = offered
		s := m.mailer(t, "smtp://localhost")
		var want []bool
		for n, to := range []string{"joao@example.com.br", "joão@example.com.br", "joao@under_score.com.br", "joao@Açúcar.com.br"} {
			e := testEmail(n)
			e.To = to
			err := s.Send(t.Context(), e)
			asks := n == 1
			if refused := isPermanent(err) && strings.HasSuffix(err.Error(), "it takes only addresses without accents"); refused != (asks && !offered) || err != nil && !refused {
				t.Errorf("%s, SMTPUTF8 offered %t: got %v", to, offered, err)
			}
			if err == nil {
				want = append(want, asks)
			}
		}
		if !slices.Equal(m.utf8, want) || m.sessions != 1 {
			t.Errorf("SMTPUTF8 was asked for: %v, want %v, on %d connections", m.utf8, want, m.sessions)
		}
		for _, line := range []string{"MAIL FROM:<ativacao@", "RCPT TO:<joao@example.com.br>\r\n"} { // servers need not take others (RFC 5321, 4.1.1.2)
			if raw := m.raw.String(); !strings.Contains(raw, line) {
				t.Errorf("the conversation lacks %q:\n%s", line, raw)
			}
		}
		if to, want := m.got[len(m.got)-1].Header.Get("To"), "<joao@xn--acar-0oa8i.com.br>"; !strings.HasSuffix(to, want) {
			t.Errorf("the e-mail went to %s, want %s", to, want)
		}
	}
}

func TestNothingIsSentWithoutTLSOffLoopback(t *testing.T) {
	for name, c := range map[string]struct {
		url              string
		offers, implicit bool   // STARTTLS, TLS from the start
		unknown          bool   // the certificate
		to               string // address of the server; "" if nothing arrives
		want             string // reason
	}{
		"no STARTTLS":                 {url: "smtp://mail.example.com:587", want: "does not support STARTTLS"},
		"unknown certificate":         {url: "smtp://mail.example.com", offers: true, unknown: true, want: "certificate"},
		"certificate of another name": {url: "smtp://mail.example.org", offers: true, want: "certificate"},
		"STARTTLS":                    {url: "smtp://mail.example.com", offers: true, to: "mail.example.com:587"},
		"smtps":                       {url: "smtps://mail.example.com", implicit: true, to: "mail.example.com:465"},
		"smtps, unknown certificate":  {url: "smtps://mail.example.com", implicit: true, unknown: true, want: "certificate"},
		"plain on loopback":           {url: "smtp://[::1]", to: "[::1]:25"},
		"loopback with STARTTLS":      {url: "smtp://[::1]:26?starttls=required", offers: true, to: "[::1]:26"},
		"loopback without it":         {url: "smtp://localhost?starttls=required", want: "does not support STARTTLS"},
		"no sign-in before STARTTLS":  {url: "smtp://localhost", offers: true, want: "add ?starttls=required to its URL"},
	} {
		inBubble(t, name, func(t *testing.T) {
			m := newMailServer(t)
			m.implicitTLS = c.implicit
			if c.offers {
				m.startTLS()
			}
			url := strings.Replace(c.url, "//", "//"+signedIn, 1)
			if !c.unknown {
				url += "?ca=" + m.ca
				if strings.Contains(c.url, "?") {
					url = strings.Replace(url, "?ca=", "&ca=", 1)
				}
			}
			err := m.mailer(t, url).Send(t.Context(), testEmail(1))
			m.mu.Lock()
			defer m.mu.Unlock()
			if c.to != "" {
				if err != nil || len(m.got) != 1 || m.dialled != c.to {
					t.Errorf("got %v and %d e-mails at %s, want one at %s", err, len(m.got), m.dialled, c.to)
				}
				return
			}
			if !isDown(err) || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.want)) || m.logins != 0 || len(m.begun) != 0 {
				t.Errorf("got %v, %d logins, %d e-mails; want %q and nothing sent", err, m.logins, len(m.begun), c.want)
			}
		})
	}
}

func isDown(err error) bool {
	f, ok := errors.AsType[*outbox.DeliveryError](err)
	return ok && f.DestinationDown
}

// Only a final refusal of the recipient's address ends an activation (decisions.md 8). A refusal that
// concerns the server, the sender, a policy or a quota waits, also if it comes at RCPT. A server that is
// full or stops, or does not like our name, refuses every e-mail, for any recipient.
func TestRefusalsAtEachStage(t *testing.T) {
	const temporary, down, permanent = "temporary", "down", "permanent"
	bare := []int{-1, -1, -1} // no enhanced code
	for _, c := range []struct {
		stage    string
		code     int
		enhanced []int
		want     string
		shown    string
		text     string // of the server; "": it names the recipient
	}{
		{atHelo, 501, []int{5, 5, 4}, down, "501 5.5.4 at the connection", ""},
		{atMail, 550, []int{5, 1, 1}, down, "550 5.1.1 at the sender", ""},

		{atRcpt, 550, []int{5, 1, 1}, permanent, "550 5.1.1 at the recipient", ""},
		{atRcpt, 552, []int{5, 2, 2}, permanent, "552 5.2.2 at the recipient", ""},
		{atRcpt, 550, nil, permanent, "550 5.0.0 at the recipient", ""},
		{atRcpt, 550, bare, permanent, "550 at the recipient", ""},
		{atRcpt, 551, bare, permanent, "551 at the recipient", ""},
		{atRcpt, 553, bare, permanent, "553 at the recipient", ""},
		{atRcpt, 450, []int{4, 2, 1}, temporary, "450 4.2.1 at the recipient", ""},
		{atRcpt, 450, bare, temporary, "450 at the recipient", ""},
		{atRcpt, 550, []int{5, 1, 7}, down, "550 5.1.7 at the recipient", ""},
		{atRcpt, 550, []int{5, 1, 8}, down, "550 5.1.8 at the recipient", ""},
		{atRcpt, 553, []int{5, 7, 1}, down, "553 5.7.1 at the recipient", ""},
		{atRcpt, 550, []int{5, 4, 5}, down, "550 5.4.5 at the recipient", ""},
		{atRcpt, 552, bare, down, "552 at the recipient", ""},
		{atRcpt, 451, bare, down, "451 at the recipient", ""},
		{atRcpt, 421, []int{4, 2, 1}, down, "421 4.2.1 at the recipient", ""},

		{atRcpt, 550, bare, down, "550 at the connection", "<joao@example.com.br>: Helo command rejected: Host not found"},
		{atRcpt, 550, []int{5, 1, 0}, down, "550 5.1.0 at the sender", "<ativacao@provedor.example>: Sender address rejected: User unknown"},
		{atRcpt, 550, bare, down, "550 at the connection", "Authentication required"},
		{atRcpt, 550, bare, down, "550 at the connection", "relay not permitted"},
		{atRcpt, 550, []int{5, 1, 1}, permanent, "550 5.1.1 at the recipient", "<auth.sender@relay.example.com.br>: User unknown"},

		{atData, 550, []int{5, 1, 1}, permanent, "550 5.1.1 at the text", ""},
		{atData, 554, []int{5, 6, 0}, temporary, "554 5.6.0 at the text", ""},
		{atData, 552, []int{5, 3, 4}, temporary, "552 5.3.4 at the text", ""},
		{atData, 552, bare, temporary, "552 at the text", ""},
		{atData, 550, []int{5, 4, 5}, down, "550 5.4.5 at the text", ""},
		{atData, 550, bare, down, "550 at the text", ""},
		{atData, 451, nil, down, "451 4.0.0 at the text", ""},
	} {
		inBubble(t, fmt.Sprint(c.stage, " ", c.code, " ", c.enhanced, " ", c.text), func(t *testing.T) {
			m := newMailServer(t)
			var over atomic.Bool
			m.at = func(stage string, _ int, _ net.Conn) error {
				if over.Load() || stage != c.stage {
					return nil
				}
				err := refusing(c.code, c.enhanced...)
				err.Message = cmp.Or(c.text, err.Message)
				return err
			}
			s := m.mailer(t, "smtp://127.0.0.1:25")
			err := s.Send(t.Context(), testEmail(1))
			got := temporary
			if isPermanent(err) {
				got = permanent
			} else if isDown(err) {
				got = down
			}
			if err == nil || got != c.want || err.Error() != "mail server: "+c.shown {
				t.Errorf("got %s: %v, want %s with %q", got, err, c.want, c.shown)
			}
			over.Store(true)
			if err := s.Send(t.Context(), testEmail(2)); err != nil || len(m.got) != 1 {
				t.Errorf("the next e-mail: %v", err)
			}
		})
	}
}

// An address that cannot stand in an e-mail ends this delivery alone, before a connection is opened.
func TestAnAddressThatIsNoneEndsItsDelivery(t *testing.T) {
	m := newMailServer(t)
	e := testEmail(1)
	e.To = "joao example.com.br"
	if err := m.mailer(t, "smtp://127.0.0.1:25").Send(t.Context(), e); !isPermanent(err) || m.sessions != 0 {
		t.Errorf("got %v on %d connections, want a permanent error on none", err, m.sessions)
	}
}

func isPermanent(err error) bool {
	e, ok := errors.AsType[*outbox.DeliveryError](err)
	return ok && e.Permanent
}

// A server may announce mechanisms that fail, or fail for this user: the e-mail is sent with the one
// that works, and the next connection begins with it. A server that lets nobody sign in is down, and the
// error has no password, even if the server repeats it.
func TestEachAnnouncedMechanismIsTriedUntilOneSignsIn(t *testing.T) {
	for _, works := range []string{"PLAIN", "LOGIN", "CRAM-MD5", ""} {
		for _, secured := range []bool{false, true} {
			inBubble(t, fmt.Sprint(works, " ", secured), func(t *testing.T) {
				m := newMailServer(t)
				m.mechanisms, m.works = []string{"CRAM-MD5", "SCRAM-SHA-256", "LOGIN", "PLAIN"}, works
				url := "smtp://" + signedIn + "127.0.0.1"
				if secured {
					m.startTLS()
					url = "smtp://" + signedIn + "mail.example.com?ca=" + m.ca
				}
				s := m.mailer(t, url)
				err := s.Send(t.Context(), testEmail(1))
				if works == "" {
					if !isDown(err) || len(m.begun) != 0 || !strings.Contains(err.Error(), "535 5.7.8 at the connection") || strings.Contains(err.Error(), mailPassword) {
						t.Errorf("got %v and %d e-mails, want a server that is down", err, len(m.begun))
					}
					return
				}
				must(t, err)
				s.Idle()
				tried := m.logins
				if err := s.Send(t.Context(), testEmail(2)); err != nil || len(m.got) != 2 || m.logins != tried+1 {
					t.Errorf("the next connection: got %v, %d e-mails, %d tries to sign in, want one", err, len(m.got), m.logins-tried)
				}
			})
		}
	}
}

func TestConnectionsAreUsedForManyEMailsAndReplacedWhenGone(t *testing.T) {
	m := newMailServer(t)
	var last net.Conn
	m.at = func(_ string, _ int, conn net.Conn) error {
		last = conn
		return nil
	}
	s := m.mailer(t, "smtp://127.0.0.1")
	wantConnections := func(want, emails int) {
		t.Helper()
		for n := range emails {
			must(t, s.Send(t.Context(), testEmail(n)))
		}
		if m.sessions != want {
			t.Errorf("got %d connections, want %d", m.sessions, want)
		}
	}
	wantConnections(1, 5)
	last.Close() // as servers close idle connections
	wantConnections(2, 1)
	s.Idle()
	wantConnections(3, 10)
	wantConnections(4, 1) // after ten e-mails
}
