package server_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/server"
)

func TestEveryPartOfAnExchangeHasATimeOut(t *testing.T) {
	srv := server.HTTP(http.NotFoundHandler(), "127.0.0.1:0", nil)
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

func TestASlowHeaderEndsItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipeListener{make(chan net.Conn, 1), make(chan struct{})}
		srv := server.HTTP(http.NotFoundHandler(), "", nil)
		go func() { _ = srv.Serve(l) }()
		c := l.dial()
		start := time.Now()
		_, _ = c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\nX: "))
		_, _ = io.ReadAll(c)
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("the connection lived for %v", took)
		}
		_ = srv.Close()
	})
}

func TestConnectionsOverTheCapWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &pipeListener{make(chan net.Conn, 3), make(chan struct{})}
		l := server.Limit(inner, 2)
		for range 3 {
			inner.dial()
		}
		first, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Accept(); err != nil {
			t.Fatal(err)
		}
		accepted := make(chan error)
		go func() {
			_, err := l.Accept()
			accepted <- err
		}()
		synctest.Wait()
		select {
		case <-accepted:
			t.Error("a third connection was accepted beside two")
		default:
		}
		_ = first.Close()
		_ = first.Close() // frees its place once
		if err := <-accepted; err != nil {
			t.Error(err)
		}
		go func() {
			_, err := l.Accept()
			accepted <- err
		}()
		synctest.Wait()
		_ = l.Close()
		if err := <-accepted; err == nil {
			t.Error("a closed listener accepted a connection")
		}
	})
}

type drainer struct {
	http.Handler
	drained chan struct{}
}

func (d drainer) Drain() { close(d.drained) }

func TestShutdownLetsThoseGoWhoWait(t *testing.T) {
	d := drainer{http.NotFoundHandler(), make(chan struct{})}
	if err := server.HTTP(d, "", nil).Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	<-d.drained
}
