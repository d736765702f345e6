package server

import (
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of a connection (reliability.md). A long answer, such as the plain
// list, gives itself more time as long as it gets on.
const (
	headerWithin   = 10 * time.Second
	idleWithin     = 2 * time.Minute
	maxHeaderBytes = 32 << 10

	// MaxConnections is how many connections are served at once; more wait in
	// the queue of the operating system.
	MaxConnections = 8192
)

// HTTP returns an [http.Server] for a handler with a time-out for each part of
// an exchange. Its Shutdown also lets those go who wait for events.
func HTTP(h http.Handler, addr string, log *slog.Logger) *http.Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	srv := &http.Server{
		Addr: addr, Handler: h,
		ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, WriteTimeout: writeWithin, IdleTimeout: idleWithin,
		MaxHeaderBytes: maxHeaderBytes, DisableGeneralOptionsHandler: true, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	if d, ok := h.(interface{ Drain() }); ok {
		srv.RegisterOnShutdown(d.Drain)
	}
	return srv
}

// Limit bounds the connections of a listener that are open at once.
func Limit(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots  chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Accept waits for a free slot, and then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotConn{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close ends the listener, also an Accept that waits for a slot.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type slotConn struct {
	net.Conn
	free func()
}

// Close frees the slot.
func (c *slotConn) Close() error {
	defer c.free()
	return c.Conn.Close()
}
