package client_test

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"ativa/internal/api/apitest"
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
	return apitest.Client(t, o)
}

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
