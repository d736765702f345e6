package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/failure"
)

func TestServerURLIsCheckedBeforeAnythingIsSent(t *testing.T) {
	for _, c := range []struct {
		server string
		allow  bool
		ok     bool
	}{
		{server: "https://api.example.com/api/", ok: true},
		{server: "http://127.0.0.1:8080", ok: true},
		{server: "http://[::1]:8080", ok: true},
		{server: "http://localhost", ok: true},
		{server: "http://api.example.com", allow: true, ok: true},
		{server: "http://api.example.com"},
		{server: "http://localhost.example.com"},
		{server: ""},
		{server: "ftp://api.example.com"},
		{server: "https://user:canary@api.example.com"},
		{server: "https://api.example.com?x=1"},
		{server: "https://api.example.com#x"},
		{server: "https://\x7fcanary"},
		// Without a host a call would go to this machine.
		{server: "https://:8443", allow: true},
		{server: "https:///api", allow: true},
	} {
		_, err := client.New(client.Options{Server: c.server, AllowHTTP: c.allow})
		if (err == nil) != c.ok {
			t.Errorf("%q: got %v, want ok %t", c.server, err, c.ok)
		}
		if !c.ok && (!isUsage(err) || !strings.HasPrefix(err.Error(), "server: ") || strings.Contains(err.Error(), "canary")) {
			t.Errorf("%q: got %v, want an option error that hides the URL", c.server, err)
		}
	}
}

// isUsage reports whether an error is a usage error.
func isUsage(err error) bool { return failure.OutcomeOf(err).Exit == failure.ExitUsage }

// A proxy of the environment that is no address is an error, as that of --proxy is. Go's library
// would connect without a proxy.
func TestTheProxyOfTheEnvironmentIsChecked(t *testing.T) {
	for _, c := range []struct {
		server, variable, proxy string
		ok                      bool
	}{
		{"https://api.example.com", "HTTPS_PROXY", "http://canary:port", false},
		{"https://api.example.com", "HTTPS_PROXY", "ftp://canary:3128", false},
		{"http://api.example.com", "HTTP_PROXY", "http://", false},
		{"http://api.example.com", "HTTPS_PROXY", "http://canary:port", true}, // of another scheme
		{"http://localhost:8080", "HTTP_PROXY", "http://canary:port", true},
		{"https://api.example.com", "HTTPS_PROXY", "canary:3128", true},
		{"https://api.example.com", "HTTPS_PROXY", "socks5://user:secret@canary", true},
	} {
		t.Run(c.variable+" "+c.proxy, func(t *testing.T) {
			for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY"} {
				t.Setenv(name, "")
				t.Setenv(strings.ToLower(name), "")
			}
			t.Setenv(c.variable, c.proxy)
			_, err := client.New(client.Options{Server: c.server, AllowHTTP: true})
			if c.ok != (err == nil) || !c.ok && (!isUsage(err) || strings.Contains(err.Error(), "canary")) {
				t.Errorf("got %v, want an option error: %v", err, !c.ok)
			}
		})
	}
}

func TestFilesAndProxyAreChecked(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	must(t, os.WriteFile(empty, nil, 0o600))
	const together = "client certificate: --client-cert and --client-key go together"
	for name, c := range map[string]struct {
		o    client.Options
		want string // the beginning of the error
	}{
		"CA file that is not there":   {client.Options{CAFile: empty + ".not"}, "CA file: cannot be read"},
		"CA file without certificate": {client.Options{CAFile: empty}, "CA file: "},
		"proxy that is no URL":        {client.Options{Proxy: "canary"}, "proxy: "},
		"proxy without a scheme":      {client.Options{Proxy: "canary:3128"}, "proxy: "},
		"proxy of an unknown scheme":  {client.Options{Proxy: "ftp://canary:3128"}, "proxy: "},
		"proxy without a host":        {client.Options{Proxy: "https://:3128/canary"}, "proxy: "},
		"certificate without a key":   {client.Options{CertFile: "client.pem"}, together},
		"key without a certificate":   {client.Options{KeyFile: "client.key"}, together},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Server = "https://api.example.com"
			_, err := client.New(c.o)
			if !isUsage(err) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "canary") {
				t.Errorf("got %v, want the option error %q", err, c.want)
			}
		})
	}
}

// A redirect receives neither the bearer nor a body, which may contain the access
// token or personal data. The error names its host alone.
func TestNoRedirectIsFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			var leaked atomic.Int32
			other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Add(1) }))
			defer other.Close()
			c := apitest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				to, _ := url.Parse(strings.Replace(other.URL, "://", "://user:secret@", 1) + "/login?to=52998224725")
				if strings.HasSuffix(r.URL.Path, "status") {
					to = &url.URL{Path: "/same/host"}
				}
				if r.URL.Path == "/same/host" {
					leaked.Add(1)
				}
				w.Header().Set("Location", to.String())
				w.WriteHeader(status)
			}), client.Options{})
			for name, send := range map[string]func() error{
				"authenticate": func() error { _, err := c.Authenticate(t.Context(), "secret"); return err },
				"same host":    func() error { _, err := c.Statuses(t.Context()); return err },
				"write":        func() error { _, err := c.DeleteSubscriber(t.Context(), "52998224725", ""); return err },
			} {
				err := send()
				e, ok := errors.AsType[*client.Error](err)
				if !ok || e.Code != client.CodeRedirect || e.Status != status || e.Kind() != client.KindUnavailable {
					t.Errorf("%s: got %v, want %s", name, err, client.CodeRedirect)
				} else if name != "same host" && e.Location != other.URL {
					t.Errorf("%s: got a redirect to %s, want %s", name, e.Location, other.URL)
				}
			}
			if n := leaked.Load(); n != 0 {
				t.Errorf("%d redirects were followed", n)
			}
		})
	}
}
