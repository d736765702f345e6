package delivery

import (
	"context"
	"net"
)

// DialWith makes the mailer open its connections with dial.
func (s *SMTPMailer) DialWith(dial func(context.Context, string, string) (net.Conn, error)) {
	s.dial = dial
}
