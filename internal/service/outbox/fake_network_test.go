package outbox_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
)

// network is a network in memory. Its connections are pipes, so that virtual time
// passes while a test waits for a response.
type network struct {
	mu    sync.Mutex
	hosts map[string]*pipeListener // by host:port
}

func newNetwork() *network { return &network{hosts: map[string]*pipeListener{}} }

// Dial connects to a host that listens; to others the connection is refused.
func (n *network) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.hosts[address]
	n.mu.Unlock()
	if l == nil {
		return nil, errors.New("connection refused")
	}
	near, far := net.Pipe()
	select {
	case l.incoming <- far:
		return near, nil
	case <-l.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// dialling has connections dialled.
func dialling(dial func(context.Context, string, string) (net.Conn, error)) func(*http.Transport) http.RoundTripper {
	return func(t *http.Transport) http.RoundTripper {
		t.DialContext = dial
		return t
	}
}

// listen makes the address accept connections.
func (n *network) listen(t *testing.T, address string) *pipeListener {
	l := &pipeListener{incoming: make(chan net.Conn), closed: make(chan struct{}), address: address}
	n.mu.Lock()
	n.hosts[address] = l
	n.mu.Unlock()
	t.Cleanup(func() { l.Close() })
	return l
}

// serve answers HTTP at host:80 and returns its URL.
func (n *network) serve(t *testing.T, host string, h http.Handler) string {
	s := &http.Server{Handler: h}
	go s.Serve(n.listen(t, host+":80"))
	t.Cleanup(func() { s.Close() })
	return "http://" + host + "/hook"
}

type pipeListener struct {
	incoming chan net.Conn
	once     sync.Once
	closed   chan struct{}
	address  string
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.incoming:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr(l.address) }

type pipeAddr string

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return string(a) }
