package outbox_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
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
		s := mailerTo(t, "smtp://localhost", "", m.listen(t, false))
		var want []bool
		for n, to := range []string{"joao@example.com.br", "joão@example.com.br", "joao@Açúcar.com.br", "joao@EXAMPLE.com.br", "joao@under_score.com.br"} {
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
		s.Idle()
		if !slices.Equal(m.utf8, want) || m.sessions != 1 {
			t.Errorf("SMTPUTF8 was asked for: %v, want %v, on %d connections", m.utf8, want, m.sessions)
		}
		if to, want := m.got[len(m.got)-3].Header.Get("To"), "<joao@xn--acar-0oa8i.com.br>"; !strings.HasSuffix(to, want) {
			t.Errorf("the e-mail went to %s, want %s", to, want)
		}
	}
}

func TestNothingIsSentWithoutTLSOffLoopback(t *testing.T) {
	for name, c := range map[string]struct {
		url              string // %s: parameters, with the certificate's file
		offers, implicit bool
		ca               bool
		want             string // "": it arrives
	}{
		"no STARTTLS":                 {url: "smtp://ativa@mail.example.com:587", ca: true, want: "does not support STARTTLS"},
		"unknown certificate":         {url: "smtp://ativa@mail.example.com:587", offers: true, want: "certificate"},
		"certificate of another name": {url: "smtp://ativa@other.example.com:587", offers: true, ca: true, want: "certificate"},
		"STARTTLS":                    {url: "smtp://ativa@mail.example.com:587", offers: true, ca: true},
		"smtps":                       {url: "smtps://ativa@mail.example.com", implicit: true, ca: true},
		"smtps, unknown certificate":  {url: "smtps://ativa@mail.example.com", implicit: true, want: "certificate"},
		"smtps to a plain server":     {url: "smtps://ativa@mail.example.com", ca: true, want: "TLS"},
		"plain on loopback":           {url: "smtp://ativa@127.0.0.1:25", ca: true},
		"loopback with STARTTLS":      {url: "smtp://ativa@localhost:25?starttls=required", offers: true, ca: true},
		"loopback without it":         {url: "smtp://ativa@localhost:25?starttls=required", ca: true, want: "does not support STARTTLS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMailServer(t)
			if c.offers {
				m.startTLS()
			}
			url := c.url
			if c.ca {
				sign := "?"
				if strings.Contains(url, "?") {
					sign = "&"
				}
				url += sign + "ca=" + m.ca
			}
			m.server.AllowInsecureAuth = true
			err := mailerTo(t, url, mailPassword, m.listen(t, c.implicit)).Send(t.Context(), testEmail(1))
			m.mu.Lock()
			defer m.mu.Unlock()
			if c.want == "" {
				if err != nil || len(m.got) != 1 {
					t.Errorf("got %v and %d e-mails, want it to arrive", err, len(m.got))
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
	f, ok := errors.AsType[*outbox.TemporaryError](err)
	return ok && f.DestinationDown
}

// A full or stopping server may refuse the connection, and one that refuses HELO refuses every
// e-mail, for any recipient.
func TestARefusalOfTheConnectionConcernsTheServer(t *testing.T) {
	for want, c := range map[string]struct{ greeting, answer string }{
		"421 at the connection":       {"421 too many of joao@example.com.br", "221 bye"},
		"501 5.5.4 at the connection": {"220 mail.example.com", "501 5.5.4 invalid name"},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		defer l.Close()
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			fmt.Fprint(conn, c.greeting+"\r\n")
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				fmt.Fprint(conn, c.answer+"\r\n")
			}
		}()
		err = mailerTo(t, "smtp://127.0.0.1:25?helo=x", "", l.Addr()).Send(t.Context(), testEmail(1))
		if !isDown(err) || !strings.HasSuffix(err.Error(), "mail server: "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Only a final refusal of the recipient's address ends an activation (decisions.md 8). A refusal that
// concerns the server, the sender, a policy or a quota waits, also if it comes at RCPT.
func TestRefusalsAtEachStage(t *testing.T) {
	const temporary, down, permanent = "temporary", "down", "permanent"
	bare := []int{-1, -1, -1} // no enhanced code
	for _, c := range []struct {
		stage    string
		code     int
		enhanced []int
		text     string
		want     string
		shown    string
	}{
		{"mail", 451, nil, "", down, "451 4.0.0 at the sender"}, {"mail", 550, []int{5, 7, 1}, "", down, "550 5.7.1 at the sender"}, {"mail", 421, nil, "", down, ""},
		{"mail", 530, nil, "", down, ""}, {"mail", 550, []int{5, 1, 1}, "", down, "550 5.1.1 at the sender"}, {"mail", 552, []int{5, 3, 4}, "", down, ""},

		{"rcpt", 550, []int{5, 1, 1}, "", permanent, "550 5.1.1 at the recipient"}, {"rcpt", 501, []int{5, 1, 3}, "", permanent, "501 5.1.3 at the recipient"},
		{"rcpt", 550, []int{5, 2, 1}, "", permanent, ""}, {"rcpt", 552, []int{5, 2, 2}, "", permanent, ""},
		{"rcpt", 550, bare, "", permanent, "550 at the recipient"}, {"rcpt", 551, bare, "", permanent, ""}, {"rcpt", 553, bare, "", permanent, ""},
		{"rcpt", 550, nil, "", permanent, "550 5.0.0 at the recipient"},
		{"rcpt", 450, []int{4, 2, 1}, "", temporary, "450 4.2.1 at the recipient"}, {"rcpt", 450, bare, "", temporary, ""}, {"rcpt", 452, []int{4, 2, 2}, "", temporary, ""},

		{"rcpt", 550, []int{5, 1, 7}, "", down, ""}, {"rcpt", 550, []int{5, 1, 8}, "", down, ""}, {"rcpt", 553, []int{5, 7, 1}, "", down, "553 5.7.1 at the recipient"},
		{"rcpt", 550, []int{5, 4, 5}, "", down, ""}, {"rcpt", 554, []int{5, 7, 1}, "", down, ""}, {"rcpt", 552, []int{5, 3, 1}, "", down, ""}, {"rcpt", 550, []int{5, 5, 0}, "", down, ""},
		{"rcpt", 452, bare, "", down, ""}, {"rcpt", 451, bare, "", down, ""}, {"rcpt", 552, bare, "", down, ""}, {"rcpt", 554, bare, "", down, ""},
		{"rcpt", 421, []int{4, 2, 1}, "", down, ""}, {"rcpt", 530, bare, "", down, ""}, {"rcpt", 503, bare, "", down, ""}, {"rcpt", 501, bare, "", down, ""},
		{"rcpt", 550, bare, "<joao@example.com.br>: Helo command rejected: Host not found", down, "550 at the connection"},
		{"rcpt", 550, []int{5, 1, 0}, "<ativacao@provedor.example>: Sender address rejected: User unknown", down, "550 5.1.0 at the sender"},
		{"rcpt", 550, bare, "Authentication required", down, "550 at the connection"}, {"rcpt", 550, bare, "relay not permitted", down, "550 at the connection"},
		{"rcpt", 550, []int{5, 1, 1}, "<auth.sender@relay.example.com.br>: User unknown", permanent, "550 5.1.1 at the recipient"},

		{"data", 550, []int{5, 1, 1}, "", permanent, "550 5.1.1 at the text"}, {"data", 552, []int{5, 2, 2}, "", permanent, ""},
		{"data", 554, []int{5, 6, 0}, "", temporary, "554 5.6.0 at the text"}, {"data", 552, []int{5, 3, 4}, "", temporary, ""}, {"data", 552, bare, "", temporary, ""},
		{"data", 550, []int{5, 4, 5}, "", down, "550 5.4.5 at the text"}, {"data", 550, []int{5, 7, 1}, "", down, ""}, {"data", 554, bare, "", down, ""}, {"data", 550, bare, "", down, ""},
		{"data", 451, nil, "", down, "451 4.0.0 at the text"}, {"data", 421, nil, "", down, ""}, {"data", 501, []int{5, 5, 4}, "", down, ""}, {"data", 530, nil, "", down, ""},
	} {
		t.Run(fmt.Sprint(c.stage, " ", c.code, " ", c.enhanced, " ", c.text), func(t *testing.T) {
			t.Parallel()
			m := newMailServer(t)
			m.refuseAt(c.stage, func(n int) error {
				if n > 0 {
					return nil
				}
				err := refusing(c.code, c.enhanced...)
				if c.text != "" {
					err.Message = c.text
				}
				return err
			})
			s := mailerTo(t, "smtp://127.0.0.1:25", "", m.listen(t, false))
			err := s.Send(t.Context(), testEmail(1))
			got := temporary
			if isPermanent(err) {
				got = permanent
			} else if isDown(err) {
				got = down
			}
			if err == nil || got != c.want || !strings.Contains(err.Error(), c.shown) {
				t.Errorf("got %s: %v, want %s with %q", got, err, c.want, c.shown)
			}
			if strings.Contains(err.Error(), "joao") {
				t.Errorf("the error names the recipient: %v", err)
			}
			if err := s.Send(t.Context(), testEmail(2)); err != nil || len(m.got) != 1 {
				t.Errorf("the next e-mail: %v", err)
			}
		})
	}
}

func isPermanent(err error) bool {
	_, ok := errors.AsType[*outbox.PermanentError](err)
	return ok
}

// A server may announce mechanisms that fail, or fail for this user: the e-mail is sent with the one
// that works, and the next connection begins with it. A server that lets nobody sign in is down, and the
// error has no password, even if the server repeats it.
func TestEachAnnouncedMechanismIsTriedUntilOneSignsIn(t *testing.T) {
	for _, works := range []string{"PLAIN", "LOGIN", "CRAM-MD5", ""} {
		for _, secured := range []bool{false, true} {
			t.Run(fmt.Sprint(works, " ", secured), func(t *testing.T) {
				t.Parallel()
				m := newMailServer(t)
				m.mechanisms, m.works = []string{"CRAM-MD5", "SCRAM-SHA-256", "LOGIN", "PLAIN"}, works
				url := "smtp://ativa@127.0.0.1:25"
				if secured {
					m.startTLS()
					url = "smtp://ativa@mail.example.com:587?ca=" + m.ca
				}
				m.server.AllowInsecureAuth = true
				s := mailerTo(t, url, mailPassword, m.listen(t, false))
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
	to := m.listen(t, false)
	s := mailerTo(t, "smtp://127.0.0.1:25", "", to)
	send := func(n int) {
		t.Helper()
		must(t, s.Send(t.Context(), testEmail(n)))
	}
	for n := range 5 {
		send(n)
	}
	if m.sessions != 1 {
		t.Errorf("got %d connections for 5 e-mails, want 1", m.sessions)
	}
	m.hangUp() // as servers close idle connections
	send(5)
	if m.sessions != 2 || len(m.got) != 6 {
		t.Errorf("got %d connections and %d e-mails, want one more of each", m.sessions, len(m.got))
	}
	s.Idle()
	for n := range 11 {
		send(6 + n)
	}
	if m.sessions != 4 {
		t.Errorf("got %d connections, want one after the idle time and one after ten e-mails", m.sessions)
	}
}
