package client_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"ativa/internal/client"
)

// pipeNet is a network of pipes: unlike sockets they let the clock of a
// synctest bubble run.
type pipeNet struct {
	conns chan net.Conn
	done  chan struct{}
	dials atomic.Int32
}

func (n *pipeNet) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *pipeNet) Close() error   { close(n.done); return nil }
func (n *pipeNet) Addr() net.Addr { return &net.TCPAddr{} }

func (n *pipeNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
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

// serve runs the handler on a network of pipes until the test ends, and gives
// a client of it. To be called inside a bubble.
func serve(t *testing.T, h http.Handler, o client.Options) *client.Client {
	t.Helper()
	n := &pipeNet{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: h}
	go func() { _ = server.Serve(n) }()
	t.Cleanup(func() { _ = server.Close() })
	o.Server, o.Dial = "http://localhost", n.dial
	return newClient(t, o)
}

// over is a client of a server on a real socket.
func over(t *testing.T, h http.Handler, o client.Options) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o.Server = server.URL
	return newClient(t, o)
}

func newClient(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	if o.Tokens == nil {
		o.Tokens = tokens("bearer-1")
	}
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// tokens is a bearer that cannot be renewed to anything else.
type tokens string

func (s tokens) Bearer(context.Context) (client.Bearer, error) {
	return client.Bearer{Token: string(s)}, nil
}

func (s tokens) Renew(context.Context, string) (client.Bearer, error) {
	return client.Bearer{Token: string(s)}, nil
}

// once is a policy without further tries.
func once() client.RetryPolicy { return client.RetryPolicy{MaxAttempts: 1} }

// say responds with a status and a JSON body.
func say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}
