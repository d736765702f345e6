package outbox

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// MailServer is the address of a mail server and how to connect to it.
type MailServer struct {
	host     string
	port     int
	user     string
	password string
	helo     string // "" means the host name of this machine
	security security
	tls      *tls.Config
}

// security is how a connection to a mail server is encrypted.
type security int

const (
	startTLS    security = iota // STARTTLS is required
	implicitTLS                 // TLS from the first byte
	plaintext                   // none, on loopback only
)

// ParseMailServer reads the URL of a mail server:
//
//	smtp://user:password@host:587?helo=NAME&ca=FILE   STARTTLS is required off loopback
//	smtps://user:password@host:465                     TLS from the start
//
// On loopback smtp:// is not encrypted unless starttls=required. A password that
// is not "" replaces that of the URL. No error contains the URL.
func ParseMailServer(text, password string) (*MailServer, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return nil, errors.New("the URL of the mail server must look like smtp://user@host:587 or smtps://user@host:465")
	}
	s := &MailServer{host: u.Hostname(), user: u.User.Username(), password: password}
	if s.password == "" {
		s.password, _ = u.User.Password()
	}
	if s.password != "" && s.user == "" {
		return nil, errors.New("the mail server has a password and no user: write smtp://user@host")
	}
	if s.user != "" && s.password == "" {
		return nil, errors.New("the mail server has a user and no password")
	}
	if err := s.parseSecurity(u); err != nil {
		return nil, err
	}
	if port := u.Port(); port != "" {
		if s.port, err = strconv.Atoi(port); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("the port of the mail server is not a number from 1 to 65535")
		}
	}
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("the URL of the mail server has options that cannot be read: write them as ?helo=NAME&ca=FILE")
	}
	return s, s.parseOptions(options)
}

func (s *MailServer) parseSecurity(u *url.URL) error {
	s.tls = &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}
	switch u.Scheme {
	case "smtps":
		s.security, s.port = implicitTLS, 465
	case "smtp":
		s.security, s.port = startTLS, 587
		if loopback(s.host) {
			s.security, s.port = plaintext, 25
		}
	default:
		return errors.New("the URL of the mail server begins with smtp:// or smtps://")
	}
	return nil
}

func (s *MailServer) parseOptions(q url.Values) error {
	for name, values := range q {
		if len(values) > 1 {
			return errors.New("the URL of the mail server has an option twice")
		}
		switch value := values[0]; name {
		case "helo":
			s.helo = value
		case "starttls":
			if value != "required" || s.security == implicitTLS {
				return errors.New("the only value of starttls is required, for smtp://")
			}
			s.security = startTLS
		case "ca":
			pem, err := os.ReadFile(value)
			if err != nil {
				return fmt.Errorf("ca of the mail server: %w", err)
			}
			s.tls.RootCAs = x509.NewCertPool()
			if !s.tls.RootCAs.AppendCertsFromPEM(pem) {
				return fmt.Errorf("ca of the mail server: %s holds no PEM certificate", value)
			}
		default:
			return errors.New("the URL of the mail server knows helo, ca and starttls")
		}
	}
	return nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// CheckSender returns an error if an address cannot be the sender of the e-mails. Accents before the @ would
// need SMTPUTF8 for each of them.
func CheckSender(address string) error {
	a, err := mail.ParseAddress(address)
	local, _, _ := strings.Cut(address, "@")
	if err != nil || a.Address != address || strings.ContainsAny(address, "\r\n") || !isASCII(local) {
		return errors.New("the sender must be one plain e-mail address")
	}
	return nil
}
