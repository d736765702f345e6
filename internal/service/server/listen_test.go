package server_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api/apitest"
	"ativa/internal/service/server"
)

func TestEveryPartOfARequestHasATimeOut(t *testing.T) {
	srv := server.NewHTTPServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	for name, d := range map[string]time.Duration{
		"header": srv.ReadHeaderTimeout, "read": srv.ReadTimeout, "write": srv.WriteTimeout, "idle": srv.IdleTimeout,
	} {
		if d <= 0 || d > 5*time.Minute {
			t.Errorf("%s: got %v", name, d)
		}
	}
}

// servePipe serves a handler to one client in virtual time. stop ends both.
func servePipe(h http.Handler) (client net.Conn, stop func()) {
	n, srv := apitest.NewNetwork(), server.NewHTTPServer(h, slog.New(slog.DiscardHandler))
	go func() { _ = srv.Serve(n) }()
	client, err := n.Dial(context.Background(), "", "")
	if err != nil {
		panic(err)
	}
	return client, func() { _ = client.Close(); _ = srv.Close() }
}

// addrConn is the server's end of a connection from an address.
type addrConn struct {
	net.Conn
	address string
}

func (c addrConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.address), Port: 1} }

// addrListener accepts the connections that were dialled.
type addrListener struct {
	net.Listener
	conns chan net.Conn
}

func (l addrListener) Accept() (net.Conn, error) { return <-l.conns, nil }

// dialFrom connects from an address and returns the client's end.
func (l addrListener) dialFrom(address string) net.Conn {
	client, srv := net.Pipe()
	l.conns <- addrConn{srv, address}
	return client
}

// isClosed reports whether the other end has closed the connection.
func isClosed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// One address cannot shut out others with its open connections.
func TestConnectionsOfOneAddressAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := addrListener{conns: make(chan net.Conn, 2)}
		var log bytes.Buffer
		const proxy = "2001:db8::1"
		l := server.LimitConnections(inner, []netip.Prefix{netip.MustParsePrefix(proxy + "/128")}, slog.New(slog.NewTextHandler(&log, nil)))
		accept := func(address string) net.Conn {
			inner.dialFrom(address)
			c, err := l.Accept()
			if err != nil || !strings.HasPrefix(c.RemoteAddr().String(), net.JoinHostPort(address, "")) {
				t.Fatalf("got %v, %v, want a connection of %s", c, err, address)
			}
			return c
		}
		var first net.Conn
		for range 512 {
			first = cmp.Or(first, accept("192.0.2.1"))
			accept(proxy)
		}
		accept(proxy) // a proxy may have more
		for range 2 {
			refused := inner.dialFrom("192.0.2.1")
			accept("198.51.100.1")
			if !isClosed(refused) {
				t.Error("an address has more connections than it may")
			}
		}
		_ = first.Close()
		_ = first.Close() // frees one connection
		accept("192.0.2.1")
		refused := inner.dialFrom("192.0.2.1")
		accept("198.51.100.1")
		if !isClosed(refused) {
			t.Error("a connection that was closed twice freed two places")
		}
		if got := log.String(); strings.Count(got, "too many connections") != 1 || !strings.Contains(got, "192.0.2.1") {
			t.Errorf("got %q, want one line a minute with the address", got)
		}
	})
}
