package client_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"ativa/internal/api"
	"ativa/internal/client"
)

// pipeNetwork is a network of pipes, on which, unlike sockets, the clock of a
// synctest bubble advances.
type pipeNetwork struct {
	conns chan net.Conn
	done  chan struct{}
	dials atomic.Int32
}

func (n *pipeNetwork) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *pipeNetwork) Close() error   { close(n.done); return nil }
func (n *pipeNetwork) Addr() net.Addr { return &net.TCPAddr{} }

func (n *pipeNetwork) transport(t *http.Transport) http.RoundTripper {
	t.DialContext = n.dial
	return t
}

func (n *pipeNetwork) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.dials.Add(1)
	here, there := net.Pipe()
	select {
	case n.conns <- there:
		return here, nil
	case <-n.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// servePipe serves the handler on a network of pipes until the test ends and
// returns a client of it. It is called inside a bubble.
func servePipe(t *testing.T, h http.Handler, o client.Options) *client.Client {
	t.Helper()
	n := &pipeNetwork{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(n) }()
	t.Cleanup(func() { _ = server.Close() })
	o.Server, o.Transport = "http://localhost", n.transport
	return newClient(t, o)
}

// serveTCP serves the handler on a socket and returns a client of it.
func serveTCP(t *testing.T, h http.Handler, o client.Options) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.Server = server.URL
	return newClient(t, o)
}

func newClient(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	if o.Tokens == nil {
		o.Tokens = fixedToken("bearer-1")
	}
	c, err := client.New(o)
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

// fixedToken is a TokenSource that always returns the same token.
type fixedToken string

func (s fixedToken) Bearer(context.Context) (api.Bearer, error) {
	return api.Bearer{Token: string(s)}, nil
}

func (s fixedToken) Renew(context.Context, string) (api.Bearer, error) {
	return api.Bearer{Token: string(s)}, nil
}

// noRetry returns a policy without retries.
func noRetry() client.RetryPolicy { return client.RetryPolicy{MaxAttempts: 1} }

// respond responds with a status and a JSON body.
func respond(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// answer responds to every request alike.
func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { respond(w, status, body) }
}

// must ends the test if there is an error.
func must(t interface {
	Helper()
	Fatal(args ...any)
}, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
