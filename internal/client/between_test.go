package client_test

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ativa/internal/api/apitest"
	"ativa/internal/client"
)

// A web page with a success status is not an answer of the API, whatever its content type, even
// in a streamed list.
func TestAWebPageIsNoAnswer(t *testing.T) {
	cl := apitest.Serve(t, answer(200, " <html>please sign in</html>"), client.Options{Retry: apitest.Once()})
	_, one := cl.Subscriber(t.Context(), "52998224725")
	_, list := cl.Products(t.Context())
	var streamed error
	for _, err := range cl.Subscribers(t.Context()) {
		streamed = err
	}
	for name, err := range map[string]error{"one": one, "list": list, "streamed": streamed} {
		if !errors.Is(err, client.ErrWebPage) || client.KindOf(err) != client.KindUnavailable {
			t.Errorf("%s: got %v, want a web page", name, err)
		}
	}
}

// A port that expects TLS refuses plain http before anybody looks at the token.
func TestPlainHTTPToATLSPortIsNoWrongToken(t *testing.T) {
	server, _ := startTLS(t, tls.NoClientCert, answer(200, "{}"))
	clients := map[string]*client.Client{"Go": apitest.Client(t, client.Options{Server: strings.Replace(server.URL, "https", "http", 1), Retry: apitest.Once()})}
	for name, page := range map[string]string{
		"nginx":  "<html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>",
		"Apache": "<!DOCTYPE HTML><p>Reason: You're speaking plain HTTP to an SSL-enabled server port.</p>",
	} {
		clients[name] = apitest.Serve(t, answer(400, page), client.Options{Retry: apitest.Once()})
	}
	for name, c := range clients {
		if _, err := c.Authenticate(t.Context(), "t"); !client.HasCode(err, client.CodeTLSRequired) || client.KindOf(err) != client.KindUnavailable {
			t.Errorf("%s: got %v, want that TLS is required", name, err)
		}
	}
}

// An error names a dead, silent or refusing proxy, never its password.
func TestAProxyIsNamed(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer refusing.Close()
	const dead = "127.0.0.1:1"
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct {
		proxy, server string
		status        int
		timeout       time.Duration
	}{
		{"http://" + dead, "https://api.example.com", 0, 0},
		{"http://" + dead, "http://api.example.com", 0, 0},
		{"socks5://" + dead, "https://api.example.com", 0, 0},
		{refusing.URL, "https://api.example.com", http.StatusProxyAuthRequired, 0},
		{"http://" + silent.Addr().String(), "https://api.example.com", 0, 10 * time.Millisecond},
		{"socks5://" + silent.Addr().String(), "http://api.example.com", 0, 10 * time.Millisecond},
	} {
		cl := apitest.Client(t, client.Options{Server: c.server, AllowHTTP: true, Proxy: strings.Replace(c.proxy, "://", "://user:secret@", 1), Retry: apitest.Once(), Timeout: c.timeout})
		_, err := cl.Statuses(t.Context())
		_, host, _ := strings.Cut(c.proxy, "://")
		p, ok := errors.AsType[*client.ProxyError](err)
		if !ok || p.Proxy != host || p.Status != c.status || strings.Contains(err.Error(), "secret") || client.KindOf(err) != client.KindUnavailable || client.IsTimeout(err) != (c.timeout > 0) {
			t.Errorf("%s by %s: got %v", c.server, c.proxy, err)
		}
	}
}
