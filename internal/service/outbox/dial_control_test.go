package outbox_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
)

func TestDialControlPermitsPublicAddressesOnly(t *testing.T) {
	const never, private, public = 0, 1, 2
	for address, want := range map[string]int{
		"93.184.215.14": public, "8.8.8.8": public, "172.32.0.1": public, "100.128.0.1": public, "2606:4700::1111": public, "2001:4860:4860::8888": public,
		"::ffff:8.8.8.8": public, // the same address, mapped

		"127.0.0.1": private, "127.9.9.9": private, "10.0.0.1": private, "172.16.0.1": private, "172.31.255.255": private, "192.168.1.1": private,
		"100.64.0.1": private, "100.127.255.255": private, "::1": private, "fd00::1": private, "::ffff:127.0.0.1": private, "::ffff:10.0.0.1": private,

		"0.0.0.0": never, "0.1.2.3": never, "::": never, "169.254.169.254": never, "::ffff:169.254.169.254": never, "fe80::1": never, "fe80::1%eth0": never,
		"fd00::1%eth0": never, "224.0.0.1": never, "239.255.255.255": never, "ff02::1": never, "255.255.255.255": never, "240.0.0.1": never,
		"192.0.0.170": never, "192.0.2.1": never, "198.18.0.1": never, "198.51.100.1": never, "203.0.113.1": never, "192.88.99.1": never,
		"64:ff9b::7f00:1": never, "64:ff9b::a9fe:a9fe": never, "64:ff9b:1::1": never, "2002:7f00:1::": never, "2001::1": never, "2001:db8::1": never,
		"::7f00:1": never, "::ffff:0:7f00:1": never, "100::1": never, "3fff::1": never, "fec0::1": never, "5f00::1": never,
	} {
		for _, allow := range []bool{false, true} {
			network := "tcp4"
			if strings.Contains(address, ":") {
				network = "tcp6"
			}
			got := outbox.DialControl(allow)(network, net.JoinHostPort(address, "443"), nil) == nil
			if permitted := want == public || allow && want == private; got != permitted {
				t.Errorf("%s with private %t: got %t, want %t", address, allow, got, permitted)
			}
		}
	}
	for _, network := range []string{"udp4", "unix", "ip4"} {
		if outbox.DialControl(true)(network, "8.8.8.8:443", nil) == nil {
			t.Errorf("the network %s is permitted", network)
		}
	}
}

func callOnce(t *testing.T, url string, private bool) error {
	t.Helper()
	_, err := outbox.SendTestCallback(t.Context(), domain.Callback{URL: url, Secret: []byte("secret"), AllowPrivate: private, Enabled: true}, "test_1", time.Now())
	return err
}

// DialControl sees the dialled address, in any spelling.
func TestHostileDestinationsAreRefusedAtDialTime(t *testing.T) {
	var reached atomic.Int32
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	must(t, err)
	for _, host := range []string{
		"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "[64:ff9b::7f00:1]", "[::127.0.0.1]",
	} {
		err := callOnce(t, "https://"+host+":"+port+"/", false)
		if err == nil || !strings.Contains(err.Error(), "is not public") && !strings.Contains(err.Error(), "unreachable") {
			t.Errorf("%s: got %v, want a refusal", host, err)
		}
	}
	if err := callOnce(t, "http://8.8.8.8/", false); err == nil || !strings.Contains(err.Error(), "not https") {
		t.Errorf("plain http: got %v", err)
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached the server", n)
	}
}

// A name that resolves first to a public address and then to this machine is refused.
func TestRebindingOfNamesGainsNothing(t *testing.T) {
	var reached atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	must(t, err)
	resolver := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: serveNames(t, func(name string) net.IP {
		if name == "absent.example" {
			return nil
		}
		return net.IPv4(127, 0, 0, 1)
	})}
	defer func() { net.DefaultResolver = resolver }()

	wantRetried(t, callOnce(t, "https://public.example:"+port+"/", false), "127.0.0.1 is not public")
	wantRetried(t, callOnce(t, "https://absent.example:"+port+"/", false), "host name lookup: no such host")
	if reached.Load() != 0 {
		t.Error("the server was reached")
	}
	if err := callOnce(t, "http://public.example:"+port+"/", true); err != nil || reached.Load() != 1 {
		t.Errorf("where it is allowed: got %v, want it reached through the same name", err)
	}
}

// An expired certificate, or one for another name, is a temporary error. Its reason has no names: the
// provider sees it, and the host may be the operator's.
func TestAWrongCertificateIsTemporaryAndToldWithoutNames(t *testing.T) {
	resolver := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: serveNames(t, func(string) net.IP { return net.IPv4(127, 0, 0, 1) })}
	defer func() { net.DefaultResolver = resolver }()
	expired, _ := certificate(t, -time.Hour)
	for want, c := range map[string]struct {
		host         string
		certificates []tls.Certificate
	}{
		"certificate has expired":      {"127.0.0.1", []tls.Certificate{expired}},
		"certificate is not valid for": {"partner.internal", nil}, // httptest's
	} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the receiver was reached") }))
		s.TLS = &tls.Config{Certificates: c.certificates}
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		defer s.Close()
		_, port, err := net.SplitHostPort(s.Listener.Addr().String())
		must(t, err)
		wantRetried(t, callOnce(t, "https://"+c.host+":"+port, true), want)
	}
}

// wantRetried checks for a temporary error that names no host.
func wantRetried(t *testing.T, err error, want string) {
	t.Helper()
	_, temporary := errors.AsType[*outbox.TemporaryError](err)
	if !temporary || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "partner.internal") || strings.Contains(err.Error(), ".example") {
		t.Errorf("got %v, want a temporary error with %q and without a name", err, want)
	}
}

// serveNames answers DNS questions for A records. A name without an address in resolve does not
// exist.
func serveNames(t *testing.T, resolve func(name string) net.IP) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { c.Close() })
	go func() {
		for b := make([]byte, 1500); ; {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(answerName(b[:n], resolve), from)
		}
	}()
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp4", c.LocalAddr().String())
	}
}

// answerName answers the first question of a DNS message.
func answerName(q []byte, resolve func(string) net.IP) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(q); err != nil {
		return nil
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	question := m.Questions[0]
	switch to := resolve(strings.TrimSuffix(question.Name.String(), ".")).To4(); {
	case to == nil:
		m.RCode = dnsmessage.RCodeNameError
	case question.Type == dnsmessage.TypeA:
		header := dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET}
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: [4]byte(to)}}}
	}
	answer, _ := m.Pack() // without an answer the question times out
	return answer
}
