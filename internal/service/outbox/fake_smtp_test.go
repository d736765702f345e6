package outbox_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"ativa/internal/api/apitest"
	"ativa/internal/service/outbox"
)

const (
	mailUser     = "ativa"
	mailPassword = "correct-horse-battery"
	signedIn     = mailUser + ":" + mailPassword + "@" // of a URL
)

// The stages of an e-mail at a [mailServer].
const (
	atHelo = "helo"
	atMail = "mail"
	atRcpt = "rcpt"
	atData = "data"
	taken  = "taken" // the text has arrived, and is not yet acknowledged
)

// mailServer is a mail server on a network in memory.
type mailServer struct {
	server      *smtp.Server
	ca          string // PEM file
	cert        tls.Certificate
	implicitTLS bool
	mechanisms  []string // announced
	works       string   // the only mechanism that signs in
	// at is called before the server answers at a stage of the nth e-mail, from 0; atHelo is the same for
	// all of a connection. It returns the refusal, if any. It may be nil.
	at func(stage string, n int, conn net.Conn) error

	mu       sync.Mutex
	dialled  string // last address
	sessions int
	logins   int         // also those that failed
	begun    []time.Time // e-mails
	got      []*mail.Message
	utf8     []bool          // whether each e-mail asked for SMTPUTF8
	raw      strings.Builder // what arrived, on all connections
}

// tap records what is written to a connection.
type tap struct {
	net.Conn
	m *mailServer
}

func (t tap) Write(b []byte) (int, error) {
	t.m.mu.Lock()
	t.m.raw.Write(b)
	t.m.mu.Unlock()
	return t.Conn.Write(b)
}

// newMailServer returns a server with the certificate of package httptest, for *.example.com and [::1].
func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	m := &mailServer{mechanisms: []string{sasl.Plain}, works: sasl.Plain}
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	m.cert, m.ca = web.TLS.Certificates[0], filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(m.ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600))
	m.server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		m.mu.Lock()
		m.sessions++
		m.mu.Unlock()
		s := &mailSession{m: m, conn: c}
		return s, s.at(atHelo)
	}))
	m.server.AllowInsecureAuth, m.server.ErrorLog = true, log.New(io.Discard, "", 0)
	t.Cleanup(func() { m.server.Close() })
	return m
}

// startTLS makes the server offer STARTTLS, before which nobody signs in.
func (m *mailServer) startTLS() {
	m.server.AllowInsecureAuth = false
	m.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{m.cert}}
}

// mailer starts the server and returns a mailer that reaches it at any address.
func (m *mailServer) mailer(t *testing.T, url string) *outbox.SMTPMailer {
	t.Helper()
	n := apitest.NewNetwork()
	l := net.Listener(n)
	if m.implicitTLS {
		l = tls.NewListener(n, &tls.Config{Certificates: []tls.Certificate{m.cert}})
	}
	go m.server.Serve(l)
	return mailerOver(t, url, func(ctx context.Context, network, address string) (net.Conn, error) {
		m.mu.Lock()
		m.dialled = address
		m.mu.Unlock()
		c, err := n.Dial(ctx, network, address)
		if err == nil {
			c = tap{c, m}
			t.Cleanup(func() { c.Close() }) // before the server closes its end, which waits for a reader
		}
		return c, err
	})
}

// mailerOver returns a mailer that opens its connections with dial.
func mailerOver(t *testing.T, url string, dial func(context.Context, string, string) (net.Conn, error)) *outbox.SMTPMailer {
	t.Helper()
	server, err := outbox.ParseMailServer(url, "")
	must(t, err)
	s, err := outbox.NewSMTPMailer(server, "ativacao@provedor.example")
	must(t, err)
	s.DialWith(dial)
	return s
}

// serveMail sends the e-mails to a mail server.
func (f *fixture) serveMail() *mailServer {
	f.t.Helper()
	m := newMailServer(f.t)
	f.options.Mailer = m.mailer(f.t, "smtp://"+signedIn+"[::1]")
	return m
}

// arrived returns the accepted e-mails.
func (m *mailServer) arrived() []*mail.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.got[:len(m.got):len(m.got)]
}

type mailSession struct {
	m    *mailServer
	conn *smtp.Conn
	n    int
}

func (s *mailSession) AuthMechanisms() []string { return s.m.mechanisms }

func (s *mailSession) Auth(mechanism string) (sasl.Server, error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.logins++
	return &anySASL{works: mechanism == s.m.works, answers: map[string]int{sasl.Plain: 1, sasl.Login: 2}[mechanism]}, nil
}

// anySASL takes a number of answers of a client and signs it in, or refuses it.
type anySASL struct {
	works   bool
	answers int
}

func (a *anySASL) Next(response []byte) (challenge []byte, done bool, err error) {
	switch {
	case !a.works:
		return nil, false, &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "no: " + mailUser + " " + mailPassword}
	case response == nil: // CRAM-MD5 and LOGIN begin with a challenge
		return []byte("Username:"), false, nil
	case a.answers > 1:
		a.answers--
		return []byte("Password:"), false, nil
	}
	return nil, true, nil
}

func (s *mailSession) at(stage string) error {
	if s.m.at == nil {
		return nil
	}
	return s.m.at(stage, s.n, s.conn.Conn())
}

func (s *mailSession) Mail(_ string, o *smtp.MailOptions) error {
	s.m.mu.Lock()
	s.m.utf8 = append(s.m.utf8, o.UTF8)
	s.n = len(s.m.begun)
	s.m.begun = append(s.m.begun, time.Now())
	s.m.mu.Unlock()
	return s.at(atMail)
}

func (s *mailSession) Rcpt(string, *smtp.RcptOptions) error { return s.at(atRcpt) }

func (s *mailSession) Data(r io.Reader) error {
	if err := s.at(atData); err != nil {
		return err
	}
	message, err := mail.ReadMessage(r)
	if err == nil {
		_, err = io.Copy(io.Discard, message.Body)
	}
	if err != nil {
		return err
	}
	s.m.mu.Lock()
	s.m.got = append(s.m.got, message)
	s.m.mu.Unlock()
	return s.at(taken)
}

func (s *mailSession) Reset()        {}
func (s *mailSession) Logout() error { return nil }

// refusing returns a refusal whose text contains the recipient, as from many servers.
func refusing(code int, enhanced ...int) *smtp.SMTPError {
	e := smtp.EnhancedCode{code / 100, 0, 0}
	if len(enhanced) == 3 {
		e = smtp.EnhancedCode{enhanced[0], enhanced[1], enhanced[2]}
	}
	return &smtp.SMTPError{Code: code, EnhancedCode: e, Message: "<joao@example.com.br>: no"}
}
