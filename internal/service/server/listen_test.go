package server_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/api"
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

// listen serves the fixture as `ativa serve` does, over TLS if it is configured, and returns the
// address.
func (f *fixture) listen(options ...func(*http.Server)) string {
	f.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	f.must(err)
	srv := server.NewHTTPServer(f.server, slog.New(slog.DiscardHandler))
	for _, set := range options {
		set(srv)
	}
	serve := srv.Serve
	if srv.TLSConfig != nil {
		serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
	}
	limited := server.LimitConnections(l, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, slog.New(slog.DiscardHandler))
	go func() { _ = serve(limited) }()
	f.t.Cleanup(func() { _ = srv.Close() })
	return l.Addr().String()
}

// A client that has closed its half of the connection still reads the response.
func TestAnAbortedWriteIsNeverReportedAsSuccess(t *testing.T) {
	f := newParallelFixture(t)
	f.store.update = func(ctx context.Context) error { // a write waits
		<-ctx.Done()
		return ctx.Err()
	}
	conn, in := f.dial(f.listen())
	body := subscriber(1)
	_, err := fmt.Fprintf(conn, "POST /subscribers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", f.bearer, len(body), body)
	f.must(err)
	f.must(conn.(*net.TCPConn).CloseWrite())
	if got, _ := io.ReadAll(in); strings.HasPrefix(string(got), "HTTP/1.1 2") {
		t.Errorf("nothing was registered, and the response is %q", got)
	}
	f.do("GET", "/subscribers/"+doc(1), "").want(404)
}

// The server closes the connection after a request whose end is ambiguous. A refused request whose
// end is clear keeps it open.
func TestAConnectionIsClosedAfterAnAmbiguousRequest(t *testing.T) {
	f := newParallelFixture(t)
	addr := f.listen()
	const next, body = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", `{"name":"Nova"}`
	for _, c := range []struct {
		name, request, rest string
		status              int
		code                string
		keepsOpen           bool
	}{
		{"length and chunks", "PUT /subscribers/1", "Content-Length: 15\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n" + body + "\r\n0\r\n\r\n", 404, api.CodeSubscriberNotFound, false},
		{"a header of 64 KiB", "GET /products", "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431, "", false},
		{"everything", "OPTIONS *", "\r\n", 404, api.CodeNotFound, true},
		{"a proxy", "CONNECT example.com:443", "\r\n", 404, api.CodeNotFound, true},
	} {
		conn, in := f.dial(addr)
		go func() {
			_, _ = io.WriteString(conn, c.request+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+f.bearer+"\r\n"+c.rest+next)
		}() // the server may not read it all
		first, err := readReply(t, in)
		if f.must(err); first.status != c.status || !strings.Contains(string(first.body), c.code) {
			t.Errorf("%s: got %d %s, want %d %s", c.name, first.status, first.body, c.status, c.code)
		}
		if second, err := readReply(t, in); (err == nil) != c.keepsOpen || c.keepsOpen && second.status != 200 {
			t.Errorf("%s: then got %d, %v, want a response: %t", c.name, second.status, err, c.keepsOpen)
		}
	}
}

// A thousand connections with unfinished headers hold nothing that others need (docs/reliability.md).
// Nothing closes them here, so a request that waited for one would never end.
func TestSlowHeadersDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	const slow, requests = 1000, 300
	f := newFixture(t)
	addr := f.listen(func(srv *http.Server) { srv.ReadHeaderTimeout, srv.ReadTimeout = 0, 0 })
	f.http.URL = "http://" + addr
	var conns []net.Conn
	for n := range slow {
		conn, _ := f.dial(addr)
		_, err := fmt.Fprintf(conn, "GET /products HTTP/1.1\r\nHost: x\r\nX-%d: ", n)
		f.must(err)
		conns = append(conns, conn)
	}
	for n := range requests {
		_, err := io.WriteString(conns[n], "x")
		f.must(err)
		f.do("GET", "/products", "").want(200)
	}
}
