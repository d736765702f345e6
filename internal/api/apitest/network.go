package apitest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"ativa/internal/client"
)

// Network is a network of pipes, on which, unlike sockets, the clock of a synctest bubble
// advances.
type Network struct {
	Dials atomic.Int32
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once // closes done
}

// NewNetwork returns a network that a server may listen on.
func NewNetwork() *Network {
	return &Network{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Accept implements [net.Listener].
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener]: dialling is an error from now on.
func (n *Network) Close() error { n.once.Do(func() { close(n.done) }); return nil }

// Addr implements [net.Listener].
func (n *Network) Addr() net.Addr { return &net.TCPAddr{} }

// Transport lets a transport dial the network.
func (n *Network) Transport(t *http.Transport) http.RoundTripper {
	t.DialContext = n.Dial
	return t
}

// Dial connects to the server, whatever the address.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.Dials.Add(1)
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

// ServeInBubble serves a handler on a network of pipes until the test ends, and returns a client of
// it. It is called inside a bubble.
func ServeInBubble(t testing.TB, h http.Handler, o client.Options) *client.Client {
	t.Helper()
	n := NewNetwork()
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(n) }()
	t.Cleanup(func() { _ = server.Close() })
	o.Server, o.Transport = "http://localhost", n.Transport
	return Client(t, o)
}
