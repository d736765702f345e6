package server_test

import (
	"bytes"
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

	"ativa/internal/service/server"
)

func TestEveryPartOfARequestHasATimeOut(t *testing.T) {
	srv := server.NewHTTPServer(http.NotFoundHandler(), "127.0.0.1:0", nil)
	for name, d := range map[string]time.Duration{
		"header": srv.ReadHeaderTimeout, "read": srv.ReadTimeout, "write": srv.WriteTimeout, "idle": srv.IdleTimeout,
	} {
		if d <= 0 || d > 5*time.Minute {
			t.Errorf("%s: got %v", name, d)
		}
	}
}

// pipeListener hands out one end of a pipe for every dial.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipeListener) dial() net.Conn {
	client, srv := net.Pipe()
	l.conns <- srv
	return client
}

// addrConn is the server's end of a connection from an address.
type addrConn struct {
	net.Conn
	address string
}

func (c addrConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.address), Port: 1} }

// dialFrom connects from an address and returns the client's end.
func (l *pipeListener) dialFrom(address string) net.Conn {
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

func TestConnectionsOverTheCapWaitWhileAllAreBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &pipeListener{make(chan net.Conn, 9), make(chan struct{})}
		all := &server.ConnectionLimiter{Max: 2}
		l := all.Listener(inner)
		var busy []net.Conn
		for n := range 2 {
			inner.dialFrom(fmt.Sprintf("192.0.2.%d", n))
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			all.ConnState(c, http.StateActive)
			busy = append(busy, c)
		}
		accepted := make(chan error)
		accept := func() {
			_, err := l.Accept()
			accepted <- err
		}
		inner.dialFrom("192.0.2.9")
		go accept()
		synctest.Wait()
		select {
		case <-accepted:
			t.Error("a third connection was accepted beside two busy ones")
		default:
		}
		_ = busy[0].Close()
		_ = busy[0].Close() // frees its place once
		if err := <-accepted; err != nil {
			t.Error(err)
		}
		go accept()
		synctest.Wait()
		_ = l.Close()
		if err := <-accepted; err == nil {
			t.Error("a closed listener accepted a connection")
		}
	})
}

// One address cannot shut the others out, whatever it leaves open.
func TestConnectionsOfOneAddressAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &pipeListener{make(chan net.Conn, 99), make(chan struct{})}
		var log bytes.Buffer
		all := &server.ConnectionLimiter{Max: 8, PerAddress: 3, Trusted: []netip.Prefix{netip.MustParsePrefix("2001:db8::1/128")}, Log: slog.New(slog.NewTextHandler(&log, nil))}
		l := all.Listener(inner)
		accept := func(address string) (client, srv net.Conn) {
			client = inner.dialFrom(address)
			srv, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			return client, srv
		}
		first, _ := accept("192.0.2.1")
		second, busy := accept("192.0.2.1")
		all.ConnState(busy, http.StateActive)
		third, _ := accept("192.0.2.1")
		accept("192.0.2.1")
		if !isClosed(first) || isClosed(second) || isClosed(third) {
			t.Error("the fourth of an address did not take the place of the one that was idle for longest")
		}
		accept("192.0.2.1")
		if !isClosed(third) || isClosed(second) {
			t.Error("a busy connection was closed, or an idle one was not")
		}
		for range 4 { // a proxy may have more
			accept("2001:db8::1")
		}
		other, _ := accept("198.51.100.1") // the eighth
		if isClosed(other) || isClosed(second) {
			t.Error("a connection was closed below the cap")
		}
		newest, _ := accept("198.51.100.2")
		if isClosed(newest) || isClosed(second) {
			t.Error("the newest or a busy connection was closed")
		}
		if got := log.String(); strings.Count(got, "closed to make room") != 1 || !strings.Contains(got, "192.0.2.1") {
			t.Errorf("got %q, want one line a minute with the address", got)
		}
	})
}

// When all of an address are busy, its next is refused, and others are served.
func TestAnAddressWithBusyConnectionsOnlyIsRefusedMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &pipeListener{make(chan net.Conn, 9), make(chan struct{})}
		all := &server.ConnectionLimiter{PerAddress: 1}
		l := all.Listener(inner)
		inner.dialFrom("192.0.2.1")
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		all.ConnState(c, http.StateActive)
		refused := inner.dialFrom("192.0.2.1")
		inner.dialFrom("198.51.100.1")
		c, err = l.Accept()
		if err != nil || !strings.HasPrefix(c.RemoteAddr().String(), "198.51.100.1") || !isClosed(refused) {
			t.Errorf("got %v, %v; want the other address, and the connection closed", c.RemoteAddr(), err)
		}
	})
}

// shutdownHandler records that BeginShutdown was called.
type shutdownHandler struct {
	http.Handler
	began chan struct{}
}

func (h shutdownHandler) BeginShutdown() { close(h.began) }

func TestShutdownAnswersRequestsThatWait(t *testing.T) {
	h := shutdownHandler{http.NotFoundHandler(), make(chan struct{})}
	if err := server.NewHTTPServer(h, "", nil).Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	<-h.began
}
