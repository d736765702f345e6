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

func TestOptionsAreCheckedBeforeAnythingIsSent(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	must(t, os.WriteFile(empty, nil, 0o600))
	const secure, together = "https://api.example.com", "client certificate: --client-cert and --client-key go together"
	for _, c := range []struct {
		o    client.Options
		want string // the beginning of the error; empty for none
	}{
		{client.Options{Server: secure + "/api/"}, ""},
		{client.Options{Server: "http://127.0.0.1:8080"}, ""},
		{client.Options{Server: "http://[::1]:8080"}, ""},
		{client.Options{Server: "http://localhost"}, ""},
		{client.Options{Server: "http://api.example.com", AllowHTTP: true}, ""},
		{client.Options{Server: "http://api.example.com"}, "server: "},
		{client.Options{Server: "http://localhost.example.com"}, "server: "},
		{client.Options{Server: ""}, "server: "},
		{client.Options{Server: "ftp://api.example.com"}, "server: "},
		{client.Options{Server: "https://user:canary@api.example.com"}, "server: "},
		{client.Options{Server: secure + "?x=1"}, "server: "},
		{client.Options{Server: secure + "#x"}, "server: "},
		{client.Options{Server: "https://\x7fcanary"}, "server: "},
		// Without a host a call would go to this machine.
		{client.Options{Server: "https://:8443", AllowHTTP: true}, "server: "},
		{client.Options{Server: "https:///api", AllowHTTP: true}, "server: "},
		{client.Options{Server: secure, CAFile: empty + ".not"}, "CA file: cannot be read"},
		{client.Options{Server: secure, CAFile: empty}, "CA file: "},
		{client.Options{Server: secure, Proxy: "canary"}, "proxy: "},
		{client.Options{Server: secure, Proxy: "canary:3128"}, "proxy: "},
		{client.Options{Server: secure, Proxy: "ftp://canary:3128"}, "proxy: "},
		{client.Options{Server: secure, Proxy: "https://:3128/canary"}, "proxy: "},
		{client.Options{Server: secure, CertFile: "client.pem"}, together},
		{client.Options{Server: secure, KeyFile: "client.key"}, together},
	} {
		_, err := client.New(c.o)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: got %v, want no error", c.o, err)
		case c.want != "" && (!isUsage(err) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "canary")):
			t.Errorf("%+v: got %v, want the option error %q", c.o, err, c.want)
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

// A redirect receives neither the bearer nor a body, which may contain the access
// token or personal data. The error names its host alone.
func TestNoRedirectIsFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
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
				t.Errorf("%d, %s: got %v, want %s", status, name, err, client.CodeRedirect)
			} else if name != "same host" && e.Location != other.URL {
				t.Errorf("%s: got a redirect to %s, want %s", name, e.Location, other.URL)
			}
		}
		if n := leaked.Load(); n != 0 {
			t.Errorf("%d redirects with %d were followed", n, status)
		}
	}
}
