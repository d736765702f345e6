package delivery

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

const (
	dialTimeout      = 15 * time.Second
	maxPerConnection = 100 // e-mails
)

// SMTPMailer sends e-mails through a mail server. It keeps its connections open
// while e-mails are waiting. It is safe for concurrent use.
type SMTPMailer struct {
	server *MailServer
	from   string // the sender's address
	dial   func(ctx context.Context, network, address string) (net.Conn, error)

	mu   sync.Mutex
	idle []*smtpConnection
}

// NewSMTPMailer returns a mailer that sends from the given address. It does not
// connect.
func NewSMTPMailer(server *MailServer, from string) (*SMTPMailer, error) {
	if err := CheckSender(from); err != nil {
		return nil, err
	}
	return &SMTPMailer{server: server, from: from, dial: (&net.Dialer{Timeout: dialTimeout}).DialContext}, nil
}

// DialWith makes the mailer open its connections with dial.
func (s *SMTPMailer) DialWith(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	s.dial = dial
}

// smtpConnection is one connection to the mail server.
type smtpConnection struct {
	client *mail.Client
	smtp   *smtp.Client
	conn   *deadlineConn
	sent   int
}

// Send sends one e-mail. It replaces an idle connection that the server has
// closed.
func (s *SMTPMailer) Send(ctx context.Context, e ActivationEmail) error {
	m, err := e.message(s.from)
	if err != nil {
		return err
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(sendTimeout)
	}
	if c := s.takeIdle(); c != nil {
		c.conn.setLimit(deadline)
		err := s.sendOver(c, m)
		if !closedBeforeSend(err) {
			return s.classifyError(err)
		}
	}
	c, err := s.connect(ctx, deadline)
	if err != nil {
		return &TemporaryError{Err: s.redact(err), DestinationDown: true}
	}
	return s.classifyError(s.sendOver(c, m))
}

// sendOver sends over a connection. It keeps the connection if the server is
// ready for another e-mail on it, and closes it otherwise.
func (s *SMTPMailer) sendOver(c *smtpConnection, m *mail.Msg) error {
	c.smtp.SkipSMTPUTF8(!needsUTF8(m))
	err := c.client.SendWithSMTPClient(c.smtp, m)
	c.sent++
	switch {
	case c.sent >= maxPerConnection:
		c.quit()
	case err == nil, isRecipientRefusal(err):
		s.mu.Lock()
		s.idle = append(s.idle, c)
		s.mu.Unlock()
	default:
		c.conn.Close()
	}
	if m.IsDelivered() {
		return nil
	}
	return err
}

// needsUTF8 reports whether an address is not ASCII. Only such an e-mail asks the
// server for SMTPUTF8, because one that asks for it is passed on only to servers
// that offer it, and comes back from the others (RFC 6531, 3.4).
func needsUTF8(m *mail.Msg) bool {
	addresses, _ := m.GetRecipients() // without one the sending fails
	sender, _ := m.GetSender(false)
	return strings.ContainsFunc(strings.Join(append(addresses, sender), ""), func(r rune) bool { return r >= utf8.RuneSelf })
}

// takeIdle removes and returns the idle connection that was used last, or nil.
func (s *SMTPMailer) takeIdle() *smtpConnection {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.idle) - 1
	if n < 0 {
		return nil
	}
	c := s.idle[n]
	s.idle = s.idle[:n]
	return c
}

// Idle closes the idle connections.
func (s *SMTPMailer) Idle() {
	for c := s.takeIdle(); c != nil; c = s.takeIdle() {
		c.quit()
	}
}

func (c *smtpConnection) quit() {
	c.conn.setLimit(time.Now().Add(2 * time.Second))
	_ = c.smtp.Quit() // the e-mails are delivered, whatever it returns
	c.conn.Close()
}

// connect opens a connection, starts TLS and authenticates.
func (s *SMTPMailer) connect(ctx context.Context, deadline time.Time) (*smtpConnection, error) {
	var conn *deadlineConn
	address := net.JoinHostPort(s.server.host, strconv.Itoa(s.server.port)) // the library's lacks the brackets of IPv6
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		raw, err := s.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		conn = &deadlineConn{Conn: raw}
		conn.setLimit(deadline)
		if s.server.security != implicitTLS {
			return conn, nil
		}
		secured := tls.Client(conn, s.server.tls)
		return secured, secured.HandshakeContext(ctx)
	}
	options := append(s.server.clientOptions(), mail.WithTimeout(sendTimeout), mail.WithDialContextFunc(dial))
	client, err := mail.NewClient(s.server.host, options...)
	if err != nil {
		return nil, err
	}
	c, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		if conn != nil {
			conn.Close()
		}
		return nil, err
	}
	return &smtpConnection{client: client, smtp: c, conn: conn}, nil
}

// clientOptions returns the library's options for the server.
func (s *MailServer) clientOptions() []mail.Option {
	policy := mail.NoTLS // connect wraps the connection for implicit TLS
	if s.security == startTLS {
		policy = mail.TLSMandatory
	}
	o := []mail.Option{mail.WithPort(s.port), mail.WithTLSConfig(s.tls), mail.WithTLSPolicy(policy)}
	if s.helo != "" {
		o = append(o, mail.WithHELO(s.helo))
	}
	if s.user == "" {
		return o
	}
	mechanisms := []mail.SMTPAuthType{mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthPlain, mail.SMTPAuthLogin, mail.SMTPAuthCramMD5}
	if s.security == plaintext {
		mechanisms = []mail.SMTPAuthType{mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthCramMD5, mail.SMTPAuthPlainNoEnc, mail.SMTPAuthLoginNoEnc}
	}
	return append(o, mail.WithUsername(s.user), mail.WithPassword(s.password), mail.WithOpportunisticSMTPAuth(mechanisms...))
}

// deadlineConn is a connection whose deadlines never exceed a limit, so that an
// attempt ends in time however slow each response is.
type deadlineConn struct {
	net.Conn
	mu    sync.Mutex
	limit time.Time
}

// setLimit sets the limit, and the deadline to it.
func (c *deadlineConn) setLimit(deadline time.Time) {
	c.mu.Lock()
	c.limit = deadline
	c.mu.Unlock()
	_ = c.Conn.SetDeadline(deadline) // on a closed connection the next read fails
}

// SetDeadline sets the deadline to t or the limit, whichever is earlier.
func (c *deadlineConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	if t.IsZero() || t.After(c.limit) {
		t = c.limit
	}
	c.mu.Unlock()
	return c.Conn.SetDeadline(t)
}

var errMailServer = errors.New("mail server")
