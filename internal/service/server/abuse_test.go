package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/service/server"
)

// listen serves the fixture as `ativa serve` does and returns the address.
func (f *fixture) listen(options ...func(*http.Server)) string {
	f.t.Helper()
	return f.listenOn(func(l net.Listener) net.Listener { return l }, options...)
}

// listenOn is like listen, but wraps the listener.
func (f *fixture) listenOn(around func(net.Listener) net.Listener, options ...func(*http.Server)) string {
	f.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	f.must(err)
	srv := server.NewHTTPServer(f.server, "", nil)
	for _, set := range options {
		set(srv)
	}
	limited := server.LimitConnections(l, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, slog.New(slog.DiscardHandler))
	go func() { _ = srv.Serve(around(limited)) }()
	f.t.Cleanup(func() { _ = srv.Close() })
	return l.Addr().String()
}

// sendRaw sends bytes and reads one response.
func sendRaw(t *testing.T, addr, request string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	must(t, err)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	go func() { _, _ = io.WriteString(conn, request) }() // the server may not read it all
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res, string(b)
}

// A client that has closed its half of the connection still reads the response.
func TestABrokenOffWriteIsNeverAnsweredWithSuccess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.store.update = func(ctx context.Context) error { // a write waits
		<-ctx.Done()
		return ctx.Err()
	}
	conn, err := net.Dial("tcp", f.listen())
	f.must(err)
	defer conn.Close()
	f.must(conn.SetDeadline(time.Now().Add(time.Minute)))
	body := subscriber(1)
	_, err = fmt.Fprintf(conn, "POST /subscribers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", f.bearer, len(body), body)
	f.must(err)
	f.must(conn.(*net.TCPConn).CloseWrite())
	if got, _ := io.ReadAll(conn); strings.HasPrefix(string(got), "HTTP/1.1 2") {
		t.Errorf("nothing was registered, and the response is %q", got)
	}
	f.do("GET", "/subscribers/"+doc(1), "").want(404)
}

func TestRawRequestsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addr := f.listen()
	auth := "Host: x\r\nConnection: close\r\nAuthorization: Bearer " + f.bearer + "\r\n"
	for _, c := range []struct {
		name, request string
		status        int
		code          string
	}{
		{"a header of 64 KiB", "GET /products HTTP/1.1\r\n" + auth + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431, ""},
		{"a body in chunks without end", "POST /subscribers HTTP/1.1\r\n" + auth + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1000\r\n"+strings.Repeat("x", 0x1000)+"\r\n", 20), 413, api.CodePayloadTooLarge},
		{"everything", "OPTIONS * HTTP/1.1\r\n" + auth + "\r\n", 404, api.CodeNotFound},
		{"a proxy", "CONNECT example.com:443 HTTP/1.1\r\n" + auth + "\r\n", 404, api.CodeNotFound},
		{"a method of its own", "BREW /products HTTP/1.1\r\n" + auth + "\r\n", 405, api.CodeMethodNotAllowed},
	} {
		res, body := sendRaw(t, addr, c.request)
		if res.StatusCode != c.status || !strings.Contains(body, c.code) {
			t.Errorf("%s: got %d %s, want %d %s", c.name, res.StatusCode, body, c.status, c.code)
		}
		if c.code != "" && res.Header.Get("Content-Type") != api.MediaProblem {
			t.Errorf("%s: got %q, want a problem", c.name, res.Header.Get("Content-Type"))
		}
	}
}

// Nothing is read after a request whose end is ambiguous. A refused request with a clear end is not
// ambiguous.
func TestConnectionsEndWhereTheNextRequestIsUncertain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addr := f.listen()
	auth := "Host: x\r\nAuthorization: Bearer " + f.bearer + "\r\n"
	next := "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
	body := `{"name":"Nova"}`
	for _, c := range []struct {
		name, request string
		answers       []int
	}{
		{"length", "PUT /subscribers/1 HTTP/1.1\r\n" + auth + "Content-Length: 15\r\n\r\n" + body, []int{404, 200}},
		{"length and chunks, good", "PUT /subscribers/1 HTTP/1.1\r\n" + auth + "Content-Length: 15\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n" + body + "\r\n0\r\n\r\n", []int{404}},
		{"length and chunks, empty", "POST /subscribers HTTP/1.1\r\n" + auth + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []int{400}},
		{"length and chunks where no body is read", "GET /products HTTP/1.1\r\n" + auth + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []int{200}},
		{"a body that is a little too large", fmt.Sprintf("POST /subscribers HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s", auth, api.MaxBodyBytes+1, strings.Repeat("x", api.MaxBodyBytes+1)), []int{413, 200}},
	} {
		conn, err := net.Dial("tcp", addr)
		f.must(err)
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		_, err = io.WriteString(conn, c.request+next)
		f.must(err)
		in := bufio.NewReader(conn)
		var answers []int
		for {
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				break
			}
			_, _ = io.Copy(io.Discard, res.Body)
			if answers = append(answers, res.StatusCode); len(answers) == 2 {
				break
			}
		}
		_ = conn.Close()
		if !slices.Equal(answers, c.answers) {
			t.Errorf("%s: got answers %v, want %v and the end", c.name, answers, c.answers)
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
	var conns []net.Conn
	for n := range slow {
		conn, err := net.Dial("tcp", addr)
		f.must(err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "GET /products HTTP/1.1\r\nHost: x\r\nX-%d: ", n)
		f.must(err)
		conns = append(conns, conn)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for n := range requests {
		_, err := conns[n].Write([]byte("x"))
		f.must(err)
		req, err := http.NewRequest(http.MethodGet, "http://"+addr+"/products", nil)
		f.must(err)
		req.Header.Set("Authorization", "Bearer "+f.bearer)
		res, err := client.Do(req)
		f.must(err)
		_, err = io.Copy(io.Discard, res.Body)
		f.must(err)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("got %d", res.StatusCode)
		}
	}
}
