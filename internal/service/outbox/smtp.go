package outbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

const (
	dialTimeout = 15 * time.Second
	quitTimeout = 2 * time.Second
	// maxPerConnection is the maximum number of e-mails per connection. Exim delivers the first
	// ten at once and leaves the others to its next queue run.
	maxPerConnection = 10
)

// SMTPMailer sends e-mails through a mail server. It keeps its connections open
// while e-mails are waiting. It is safe for concurrent use.
type SMTPMailer struct {
	server *MailServer
	from   string // the sender's address
	dial   func(ctx context.Context, network, address string) (net.Conn, error)

	mu        sync.Mutex
	idle      []*smtpConnection
	mechanism string // authentication mechanism of the last successful login
}

// NewSMTPMailer returns a mailer that sends from the given address. It does not connect.
func NewSMTPMailer(server *MailServer, from string) (*SMTPMailer, error) {
	if err := CheckSender(from); err != nil {
		return nil, err
	}
	return &SMTPMailer{server: server, from: from, dial: (&net.Dialer{Timeout: dialTimeout}).DialContext}, nil
}

// DialWith makes the mailer open its connections with dial. It must be called before the first Send.
func (s *SMTPMailer) DialWith(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	s.dial = dial
}

// smtpConnection is one connection to the mail server.
type smtpConnection struct {
	smtp *smtp.Client
	conn net.Conn
	sent int
}

// Send sends one e-mail. It replaces an idle connection that the server has closed.
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
		_ = c.conn.SetDeadline(deadline) // on a closed connection the first command fails
		if err := s.sendOver(c, m); !closedBeforeSend(err) {
			return classifyError(err)
		}
	}
	c, err := s.connect(ctx, deadline)
	if err != nil {
		return &DeliveryError{Err: s.redact(err), DestinationDown: true}
	}
	return classifyError(s.sendOver(c, m))
}

// sendOver sends an e-mail over a connection. It keeps the connection if the server accepts
// another e-mail on it, and closes it otherwise.
func (s *SMTPMailer) sendOver(c *smtpConnection, m *mail.Msg) error {
	err := c.send(m)
	c.sent++
	reusable := err == nil || isPermanent(err) // nothing was sent
	if r, ok := errors.AsType[*refusal](err); ok && r.stage == recipientStage && r.code != 0 && r.code != 421 {
		reusable = c.smtp.Reset() == nil
	}
	switch {
	case !reusable:
		c.conn.Close()
	case c.sent >= maxPerConnection:
		c.quit()
	default:
		s.mu.Lock()
		s.idle = append(s.idle, c)
		s.mu.Unlock()
	}
	return err
}

// send sends one e-mail. Its errors are *refusal or *DeliveryError.
func (c *smtpConnection) send(m *mail.Msg) error {
	from, to := m.GetFrom()[0].Address, m.GetTo()[0].Address // set by ActivationEmail.message
	// An e-mail that requires SMTPUTF8 is relayed only to servers that offer it, and bounces from
	// the others (RFC 6531, 3.4).
	needed := !isASCII(from + to)
	if offered, _ := c.smtp.Extension("SMTPUTF8"); needed && !offered {
		return &DeliveryError{Err: fmt.Errorf("%w: it takes only addresses without accents", errMailServer), Permanent: true}
	}
	c.smtp.SkipSMTPUTF8(!needed)
	if err := c.smtp.Mail("<" + from + ">"); err != nil { // the library adds no brackets, without which many servers refuse
		return newRefusal(senderStage, err)
	}
	if err := c.smtp.Rcpt("<" + to + ">"); err != nil {
		return newRefusal(recipientStage, err)
	}
	w, err := c.smtp.Data()
	if err != nil {
		return newRefusal(textStage, err)
	}
	if _, err := m.WriteTo(w); err != nil {
		return newRefusal(textStage, err)
	}
	if err := w.Close(); err != nil {
		return newRefusal(textStage, err)
	}
	return nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// takeIdle removes and returns the most recently used idle connection, or nil.
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
	_ = c.conn.SetDeadline(time.Now().Add(quitTimeout))
	_ = c.smtp.Quit() // the e-mails are delivered in any case
	c.conn.Close()
}
