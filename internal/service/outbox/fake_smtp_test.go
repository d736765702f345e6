package outbox_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/mail"
	"os"
	"path/filepath"
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
)

// mailServer is a mail server that can refuse, be slow and hang up.
type mailServer struct {
	server *smtp.Server
	ca     string // PEM file
	cert   tls.Certificate

	mechanisms []string // announced mechanisms; default PLAIN
	works      string   // the only one that signs in

	atMail, atRcpt, atData func(n int) error          // by the number of the e-mail, from 0
	afterText              func(n int, conn net.Conn) // after the text, before the response; may be nil

	mu       sync.Mutex
	sessions int
	last     *smtp.Conn
	logins   int
	begun    []time.Time // e-mails
	got      []*mail.Message
	bodies   []string
	utf8     []bool // whether each e-mail asked for SMTPUTF8
}

// newMailServer returns a server with a certificate for mail.example.com and localhost.
func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	m := &mailServer{}
	m.cert, m.ca = certificate(t, time.Hour)
	m.server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.sessions++
		m.last = c
		return &mailSession{m: m, conn: c}, nil
	}))
	m.server.ErrorLog = log.New(io.Discard, "", 0)
	return m
}

// certificate returns a certificate that ends after the given time, and its PEM file.
func certificate(t *testing.T, ends time.Duration) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail"}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(ends),
		DNSNames: []string{"mail.example.com", "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	must(t, err)
	path := filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}

// listen serves on a TCP port of this machine.
func (m *mailServer) listen(t *testing.T, secured bool) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	if secured {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{m.cert}})
	}
	go m.server.Serve(l)
	t.Cleanup(func() { m.server.Close() })
	return l.Addr()
}

func (m *mailServer) startTLS() {
	m.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{m.cert}}
}

// hangUp closes the last connection.
func (m *mailServer) hangUp() { m.last.Conn().Close() }

// refuseAt lets refuse decide at a stage: mail, rcpt or data.
func (m *mailServer) refuseAt(stage string, refuse func(n int) error) {
	*map[string]*func(int) error{"mail": &m.atMail, "rcpt": &m.atRcpt, "data": &m.atData}[stage] = refuse
}

// arrived returns the number of accepted e-mails.
func (m *mailServer) arrived() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.got)
}

// mailerTo returns a mailer for the URL that connects to the address instead.
func mailerTo(t *testing.T, url, password string, to net.Addr) *outbox.SMTPMailer {
	t.Helper()
	server, err := outbox.ParseMailServer(url, password)
	must(t, err)
	s, err := outbox.NewSMTPMailer(server, "ativacao@provedor.example")
	must(t, err)
	if to != nil {
		s.DialWith(func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
		})
	}
	return s
}

// serveMail sends the e-mails to a mail server on a network in memory.
func (f *fixture) serveMail() *mailServer {
	f.t.Helper()
	m, n := newMailServer(f.t), apitest.NewNetwork()
	m.server.AllowInsecureAuth = true
	go m.server.Serve(n)
	f.t.Cleanup(func() { f.stop(); m.server.Close() })
	mailer := mailerTo(f.t, "smtp://"+mailUser+"@[::1]", mailPassword, nil)
	mailer.DialWith(func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "[::1]:25" {
			return nil, errors.New("connection refused")
		}
		return n.Dial(ctx, network, address)
	})
	f.options.Mailer = mailer
	return m
}

type mailSession struct {
	m      *mailServer
	conn   *smtp.Conn
	signed bool
	n      int
}

func (s *mailSession) AuthMechanisms() []string {
	if s.m.mechanisms == nil {
		return []string{sasl.Plain}
	}
	return s.m.mechanisms
}

func (s *mailSession) Auth(mechanism string) (sasl.Server, error) {
	if s.m.mechanisms != nil {
		s.m.mu.Lock()
		defer s.m.mu.Unlock()
		s.m.logins++
		return &anySASL{works: mechanism == s.m.works, answers: map[string]int{sasl.Plain: 1, sasl.Login: 2}[mechanism]}, nil
	}
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.m.mu.Lock()
		defer s.m.mu.Unlock()
		s.m.logins++
		if user != mailUser || password != mailPassword {
			return smtp.ErrAuthFailed
		}
		s.signed = true
		return nil
	}), nil
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

func at(f func(int) error, n int) error {
	if f == nil {
		return nil
	}
	return f(n)
}

func (s *mailSession) Mail(_ string, o *smtp.MailOptions) error {
	s.m.mu.Lock()
	s.m.utf8 = append(s.m.utf8, o.UTF8)
	s.n = len(s.m.begun)
	s.m.begun = append(s.m.begun, time.Now())
	s.m.mu.Unlock()
	return at(s.m.atMail, s.n)
}

func (s *mailSession) Rcpt(string, *smtp.RcptOptions) error { return at(s.m.atRcpt, s.n) }

var errDrop = errors.New("drop the connection")

func (s *mailSession) Data(r io.Reader) error {
	if err := at(s.m.atData, s.n); err != nil {
		if errors.Is(err, errDrop) {
			_, _ = io.ReadFull(r, make([]byte, 100))
			s.conn.Conn().Close()
		} else {
			_, _ = io.Copy(io.Discard, r)
		}
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	message, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return err
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.got, s.m.bodies = append(s.m.got, message), append(s.m.bodies, string(text))
	if s.m.afterText != nil {
		s.m.afterText(s.n, s.conn.Conn())
	}
	return nil
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
