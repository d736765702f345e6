package outbox

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// connect opens a connection and authenticates. It tries each mechanism that the server announces
// on a new connection, because the library closes one on which authentication failed.
func (s *SMTPMailer) connect(ctx context.Context, deadline time.Time) (*smtpConnection, error) {
	c, err := s.open(ctx, deadline)
	if err != nil || s.server.user == "" {
		return c, err
	}
	names := s.announcedMechanisms(c)
	if len(names) == 0 {
		defer c.quit()
		if offered, _ := c.smtp.Extension("STARTTLS"); offered && s.server.security == plaintext {
			return nil, errors.New("it lets nobody sign in without TLS: add ?starttls=required to its URL")
		}
		return nil, errors.New("it announces no way to sign in that is supported")
	}
	var refused []error
	for i, name := range names {
		if i > 0 {
			if c, err = s.open(ctx, deadline); err != nil {
				return nil, errors.Join(append(refused, err)...)
			}
		}
		if err = c.smtp.Auth(s.server.auth(name, c.smtp)); err == nil {
			s.mu.Lock()
			s.mechanism = name
			s.mu.Unlock()
			return c, nil
		}
		c.conn.Close()
		refused = append(refused, fmt.Errorf("%s: %w", name, err))
	}
	return nil, errors.Join(refused...)
}

// open opens a connection, sends EHLO and starts TLS if required.
func (s *SMTPMailer) open(ctx context.Context, deadline time.Time) (c *smtpConnection, err error) {
	helo := s.server.helo
	if helo == "" {
		if helo, err = os.Hostname(); err != nil {
			return nil, err
		}
	}
	dialCtx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := s.dial(dialCtx, "tcp", net.JoinHostPort(s.server.host, strconv.Itoa(s.server.port)))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			conn.Close()
		}
	}()
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	if s.server.security == implicitTLS {
		secured := tls.Client(conn, s.server.tls)
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		conn = secured
	}
	client, err := smtp.NewClient(conn, s.server.host)
	if err != nil {
		return nil, err
	}
	if err := client.Hello(helo); err != nil {
		return nil, err
	}
	if s.server.security == startTLS {
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return nil, errors.New("it does not support STARTTLS")
		}
		if err := client.StartTLS(s.server.tls); err != nil {
			return nil, err
		}
	}
	return &smtpConnection{smtp: client, conn: conn}, nil
}

// announcedMechanisms returns the supported mechanisms that the server announces: first the one
// that last worked, then the others from safest to least safe.
func (s *SMTPMailer) announcedMechanisms(c *smtpConnection) []string {
	preferred := []string{"SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "LOGIN", "CRAM-MD5", "NTLM"}
	if s.server.security == plaintext {
		preferred = []string{"SCRAM-SHA-256", "SCRAM-SHA-1", "CRAM-MD5", "NTLM", "PLAIN", "LOGIN"}
	} else {
		preferred = append([]string{"SCRAM-SHA-256-PLUS", "SCRAM-SHA-1-PLUS"}, preferred...)
	}
	s.mu.Lock()
	preferred = append([]string{s.mechanism}, preferred...)
	s.mu.Unlock()
	_, parameters := c.smtp.Extension("AUTH")
	announced := strings.Fields(strings.ToUpper(parameters))
	var names []string
	for _, name := range preferred {
		if slices.Contains(announced, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// auth returns the mechanism with a name that announcedMechanisms returned.
func (s *MailServer) auth(name string, c *smtp.Client) smtp.Auth {
	state, _ := c.TLSConnectionState()
	unencrypted := s.security == plaintext // on loopback
	switch name {
	case "SCRAM-SHA-256-PLUS":
		return smtp.ScramSHA256PlusAuth(s.user, s.password, &state)
	case "SCRAM-SHA-1-PLUS":
		return smtp.ScramSHA1PlusAuth(s.user, s.password, &state)
	case "SCRAM-SHA-256":
		return smtp.ScramSHA256Auth(s.user, s.password)
	case "SCRAM-SHA-1":
		return smtp.ScramSHA1Auth(s.user, s.password)
	case "CRAM-MD5":
		return smtp.CRAMMD5Auth(s.user, s.password)
	case "NTLM":
		return smtp.NTLMAuth(s.user, s.password, "")
	case "LOGIN":
		return smtp.LoginAuth(s.user, s.password, s.host, unencrypted)
	}
	return smtp.PlainAuth("", s.user, s.password, s.host, unencrypted)
}
