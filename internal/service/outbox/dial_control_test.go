package outbox_test

import (
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

// DialControl sees the dialled address, of any name and in any spelling, so a name that resolves
// differently the second time gains nothing.
func TestHostileDestinationsAreRefusedAtDialTime(t *testing.T) {
	var reached atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
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
	wantRetried(t, callOnce(t, "http://8.8.8.8/", false), "not https")
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached the server", n)
	}
	if err := callOnce(t, "http://localhost:"+port+"/", true); err != nil || reached.Load() != 1 {
		t.Errorf("where it is allowed: got %v, want it reached through the same name", err)
	}
}

// An unknown name, or a certificate for another one, is a temporary error. Its reason has no names: the
// provider sees it, and the host may be the operator's.
func TestConnectionErrorsAreTemporaryAndNameNoHost(t *testing.T) {
	wantRetried(t, callOnce(t, "https://absent..example/", true), "host name lookup: no such host")
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the receiver was reached") }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	must(t, err)
	wantRetried(t, callOnce(t, "https://localhost:"+port, true), "certificate is not valid for")
}

// wantRetried checks for a temporary error that names no host.
func wantRetried(t *testing.T, err error, want string) {
	t.Helper()
	failed, ok := errors.AsType[*outbox.DeliveryError](err)
	if !ok || failed.Permanent || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "localhost") || strings.Contains(err.Error(), ".example") {
		t.Errorf("got %v, want a temporary error with %q and without a name", err, want)
	}
}
