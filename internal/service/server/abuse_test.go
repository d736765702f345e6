package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"ativa/internal/api"
	"ativa/internal/service/server"
)

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
	chunked := "Transfer-Encoding: chunked\r\n\r\n"
	for _, c := range []struct {
		name, request, rest string
		status              int
		code                string
		keepsOpen           bool
	}{
		{"length", "PUT /subscribers/1", "Content-Length: 15\r\n\r\n" + body, 404, api.CodeSubscriberNotFound, true},
		{"length and chunks, good", "PUT /subscribers/1", "Content-Length: 15\r\n" + chunked + "f\r\n" + body + "\r\n0\r\n\r\n", 404, api.CodeSubscriberNotFound, false},
		{"length and chunks, empty", "POST /subscribers", "Content-Length: 5\r\n" + chunked + "0\r\n\r\n", 400, api.CodeMalformedJSON, false},
		{"length and chunks where no body is read", "GET /products", "Content-Length: 5\r\n" + chunked + "0\r\n\r\n", 200, "", false},
		{"a header of 64 KiB", "GET /products", "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431, "", false},
		{"everything", "OPTIONS *", "\r\n", 404, api.CodeNotFound, true},
		{"a proxy", "CONNECT example.com:443", "\r\n", 404, api.CodeNotFound, true},
		{"a method of its own", "BREW /products", "\r\n", 405, api.CodeMethodNotAllowed, true},
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

// A thousand connections with unfinished headers hold nothing that others need (reliability.md,
// promise 10). Nothing closes them here, so a request that waited for one would never end.
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
