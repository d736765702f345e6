package delivery

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

const (
	dialTimeout      = 15 * time.Second
	maxPerConnection = 100 // letters, after which a connection is closed
)

// SMTPMailer hands letters to a mail server. Connections are kept as long as letters
// wait. It is safe for concurrent use.
type SMTPMailer struct {
	server *MailServer
	from   string // the sender's address
	// dial opens a connection; the network's by default.
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu   sync.Mutex
	idle []*smtpConnection
}

// NewSMTPMailer returns a mailer that writes as the given sender. It does not
// connect yet.
func NewSMTPMailer(server *MailServer, from string) (*SMTPMailer, error) {
	if err := CheckSender(from); err != nil {
		return nil, err
	}
	return &SMTPMailer{server: server, from: from, dial: (&net.Dialer{Timeout: dialTimeout}).DialContext}, nil
}

// smtpConnection is one connection to the mail server.
type smtpConnection struct {
	client *mail.Client
	smtp   *smtp.Client
	conn   *deadlineConn
	sent   int
}

// Send hands one letter over. A connection that the server closed meanwhile
// is replaced at once.
func (s *SMTPMailer) Send(ctx context.Context, l ActivationEmail) error {
	m, err := l.message(s.from)
	if err != nil {
		return err
	}
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(sendTimeout)
	}
	if c := s.takeIdle(); c != nil {
		c.conn.setLimit(until)
		err := s.sendOver(c, m)
		if !closedBeforeSend(err) {
			return s.classifyError(err)
		}
	}
	c, err := s.connect(ctx, until)
	if err != nil {
		return &TemporaryError{Err: s.redact(err), DestinationDown: true}
	}
	return s.classifyError(s.sendOver(c, m))
}

// sendOver sends over a connection, and keeps it when it is still good.
func (s *SMTPMailer) sendOver(c *smtpConnection, m *mail.Msg) error {
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

// takeIdle is a connection that is open already, nil if there is none.
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

// Idle closes the connections.
func (s *SMTPMailer) Idle() {
	for c := s.takeIdle(); c != nil; c = s.takeIdle() {
		c.quit()
	}
}

func (c *smtpConnection) quit() {
	c.conn.setLimit(time.Now().Add(2 * time.Second))
	_ = c.smtp.Quit() // the letters are delivered, whatever the farewell
	c.conn.Close()
}

// connect opens a connection, secures it and signs in.
func (s *SMTPMailer) connect(ctx context.Context, until time.Time) (*smtpConnection, error) {
	var conn *deadlineConn
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		raw, err := s.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		conn = &deadlineConn{Conn: raw}
		conn.setLimit(until)
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

// clientOptions are the library's options for the server.
func (s *MailServer) clientOptions() []mail.Option {
	policy := mail.NoTLS // implicit TLS is made by the dial
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
	ways := []mail.SMTPAuthType{mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthPlain, mail.SMTPAuthLogin, mail.SMTPAuthCramMD5}
	if s.security == plaintext {
		ways = []mail.SMTPAuthType{mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthCramMD5, mail.SMTPAuthPlainNoEnc, mail.SMTPAuthLoginNoEnc}
	}
	return append(o, mail.WithUsername(s.user), mail.WithPassword(s.password), mail.WithOpportunisticSMTPAuth(ways...))
}

// deadlineConn is a connection whose deadlines never pass a bound, so that a
// delivery as a whole ends in time, however slow each answer is.
type deadlineConn struct {
	net.Conn
	mu    sync.Mutex
	limit time.Time
}

// setLimit sets the bound, and the deadline to it.
func (b *deadlineConn) setLimit(until time.Time) {
	b.mu.Lock()
	b.limit = until
	b.mu.Unlock()
	_ = b.Conn.SetDeadline(until) // a closed connection says so at the next read
}

// SetDeadline sets the earlier of the deadline and the bound.
func (b *deadlineConn) SetDeadline(t time.Time) error {
	b.mu.Lock()
	if t.IsZero() || t.After(b.limit) {
		t = b.limit
	}
	b.mu.Unlock()
	return b.Conn.SetDeadline(t)
}

var errMailServer = errors.New("mail server")
