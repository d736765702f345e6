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
	mailDialWithin = 15 * time.Second
	perConnection  = 100 // letters, after which a connection is closed
)

// SMTP hands letters to a mail server. Connections are kept as long as letters
// wait. It is safe for concurrent use.
type SMTP struct {
	server *MailServer
	from   string // the sender's address
	// dial opens a connection; the network's by default.
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu   sync.Mutex
	kept []*session
}

// NewSMTP returns a mailer that writes as the given sender. It does not
// connect yet.
func NewSMTP(server *MailServer, from string) (*SMTP, error) {
	if err := CheckSender(from); err != nil {
		return nil, err
	}
	return &SMTP{server: server, from: from, dial: (&net.Dialer{Timeout: mailDialWithin}).DialContext}, nil
}

// session is one connection to the mail server.
type session struct {
	client *mail.Client
	smtp   *smtp.Client
	conn   *bounded
	sent   int
}

// Send hands one letter over. A connection that the server closed meanwhile
// is replaced at once.
func (s *SMTP) Send(ctx context.Context, l Letter) error {
	m, err := l.message(s.from)
	if err != nil {
		return err
	}
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(mailWithin)
	}
	if c := s.take(); c != nil {
		c.conn.bound(until)
		err := s.hand(c, m)
		if !lostBefore(err) {
			return s.judge(err)
		}
	}
	c, err := s.connect(ctx, until)
	if err != nil {
		return &Failure{Err: s.describe(err), Down: true}
	}
	return s.judge(s.hand(c, m))
}

// hand sends over a connection, and keeps it when it is still good.
func (s *SMTP) hand(c *session, m *mail.Msg) error {
	err := c.client.SendWithSMTPClient(c.smtp, m)
	c.sent++
	switch {
	case c.sent >= perConnection:
		c.quit()
	case err == nil, aboutRecipient(err):
		s.mu.Lock()
		s.kept = append(s.kept, c)
		s.mu.Unlock()
	default:
		c.conn.Close()
	}
	if m.IsDelivered() {
		return nil
	}
	return err
}

// take is a connection that is open already, nil if there is none.
func (s *SMTP) take() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.kept) - 1
	if n < 0 {
		return nil
	}
	c := s.kept[n]
	s.kept = s.kept[:n]
	return c
}

// Idle closes the connections.
func (s *SMTP) Idle() {
	for c := s.take(); c != nil; c = s.take() {
		c.quit()
	}
}

func (c *session) quit() {
	c.conn.bound(time.Now().Add(2 * time.Second))
	_ = c.smtp.Quit() // the letters are delivered, whatever the farewell
	c.conn.Close()
}

// connect opens a connection, secures it and signs in.
func (s *SMTP) connect(ctx context.Context, until time.Time) (*session, error) {
	var conn *bounded
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, mailDialWithin)
		defer cancel()
		raw, err := s.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		conn = &bounded{Conn: raw}
		conn.bound(until)
		if s.server.secure != implicit {
			return conn, nil
		}
		secured := tls.Client(conn, s.server.tls)
		return secured, secured.HandshakeContext(ctx)
	}
	options := append(s.server.clientOptions(), mail.WithTimeout(mailWithin), mail.WithDialContextFunc(dial))
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
	return &session{client: client, smtp: c, conn: conn}, nil
}

// clientOptions are the library's options for the server.
func (s *MailServer) clientOptions() []mail.Option {
	policy := mail.NoTLS // implicit TLS is made by the dial
	if s.secure == startTLS {
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
	if s.secure == plain {
		ways = []mail.SMTPAuthType{mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthCramMD5, mail.SMTPAuthPlainNoEnc, mail.SMTPAuthLoginNoEnc}
	}
	return append(o, mail.WithUsername(s.user), mail.WithPassword(s.password), mail.WithOpportunisticSMTPAuth(ways...))
}

// bounded is a connection whose deadlines never pass a bound, so that a
// delivery as a whole ends in time, however slow each answer is.
type bounded struct {
	net.Conn
	mu    sync.Mutex
	until time.Time
}

// bound sets the bound, and the deadline to it.
func (b *bounded) bound(until time.Time) {
	b.mu.Lock()
	b.until = until
	b.mu.Unlock()
	_ = b.Conn.SetDeadline(until) // a closed connection says so at the next read
}

// SetDeadline sets the earlier of the deadline and the bound.
func (b *bounded) SetDeadline(t time.Time) error {
	b.mu.Lock()
	if t.IsZero() || t.After(b.until) {
		t = b.until
	}
	b.mu.Unlock()
	return b.Conn.SetDeadline(t)
}

var errMailServer = errors.New("mail server")
