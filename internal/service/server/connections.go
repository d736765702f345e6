package server

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	// MaxConnections is the maximum number of open connections. If all are busy, more wait in the
	// queue of the operating system.
	MaxConnections = 8192
	// MaxAddressConnections is the maximum per address (for IPv6 per /64).
	MaxAddressConnections = 512

	logEvery = time.Minute // minimum time between log lines about closed connections
)

// ConnectionLimiter limits the open connections of a server, in total and per address. At a limit
// it closes the connection that has been idle longest. Its ConnState must be set in the
// [http.Server].
type ConnectionLimiter struct {
	Max, PerAddress int            // default MaxConnections and MaxAddressConnections
	Trusted         []netip.Prefix // proxies, which may have any number of connections
	Log             *slog.Logger   // default: nothing is logged

	mu     sync.Mutex
	freed  sync.Cond // a connection was closed or became idle, or the listener was closed
	open   map[*limitedConn]bool
	closed int // closed by the limiter since the last log line
	logged time.Time
}

// limitedConn is a counted connection. The mutex of of guards its fields.
type limitedConn struct {
	net.Conn
	of    *ConnectionLimiter
	from  string
	proxy bool
	idle  bool
	since time.Time // when idle last changed
}

// Close closes the connection and stops counting it.
func (c *limitedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.freed.Broadcast()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// ConnState is for [http.Server]. A new connection counts as idle until the header
// of its first request has been read.
func (cl *ConnectionLimiter) ConnState(conn net.Conn, state http.ConnState) {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, ok := conn.(*limitedConn)
	if !ok {
		return
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	c.idle, c.since = state == http.StateNew || state == http.StateIdle, time.Now()
	if c.idle {
		cl.freed.Broadcast()
	}
}

// Listener returns l with its connections limited. It must be called only once.
func (cl *ConnectionLimiter) Listener(l net.Listener) net.Listener {
	cl.freed.L, cl.open = &cl.mu, map[*limitedConn]bool{}
	cl.Max, cl.PerAddress = cmp.Or(cl.Max, MaxConnections), cmp.Or(cl.PerAddress, MaxAddressConnections)
	if cl.Log == nil {
		cl.Log = slog.New(slog.DiscardHandler)
	}
	return &limitedListener{Listener: l, of: cl}
}

type limitedListener struct {
	net.Listener
	of    *ConnectionLimiter
	ended bool // guarded by the mutex of the limiter
}

// Accept returns the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostOf(conn.RemoteAddr().String())
		c := &limitedConn{Conn: conn, of: l.of, from: addressKey(host), proxy: isTrusted(l.of.Trusted, host), idle: true, since: time.Now()}
		if l.of.admit(c, l) {
			return c, nil
		}
		_ = conn.Close()
	}
}

// Close closes the listener and ends a waiting Accept.
func (l *limitedListener) Close() error {
	l.of.mu.Lock()
	l.ended = true
	l.of.freed.Broadcast()
	l.of.mu.Unlock()
	return l.Listener.Close()
}

// admit counts a new connection, if necessary in place of an idle one, and reports whether it may
// stay. It waits while all connections are busy, but returns false if all those of its address
// are.
func (cl *ConnectionLimiter) admit(c *limitedConn, l *limitedListener) bool {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if !c.proxy && cl.count(c.from) >= cl.PerAddress && !cl.closeIdle(c.from) {
		cl.logClosed(c.from)
		return false
	}
	for len(cl.open) >= cl.Max && !l.ended && !cl.closeIdle("") {
		cl.freed.Wait()
	}
	if l.ended {
		return false
	}
	cl.open[c] = true
	return true
}

func (cl *ConnectionLimiter) count(from string) (n int) {
	for c := range cl.open {
		if c.from == from {
			n++
		}
	}
	return n
}

// closeIdle closes the connection from the address ("" for any) that has been idle longest, and
// reports whether there was one.
func (cl *ConnectionLimiter) closeIdle(from string) bool {
	var longest *limitedConn
	for c := range cl.open {
		if c.idle && (from == "" || c.from == from) && (longest == nil || c.since.Before(longest.since)) {
			longest = c
		}
	}
	if longest == nil {
		return false
	}
	delete(cl.open, longest)
	_ = longest.Conn.Close()
	cl.logClosed(longest.from)
	return true
}

// logClosed counts a closed connection and logs the count once per logEvery.
func (cl *ConnectionLimiter) logClosed(from string) {
	cl.closed++
	if time.Since(cl.logged) < logEvery {
		return
	}
	cl.Log.Warn("connections were closed to make room", "closed", cl.closed, "open", len(cl.open), "last_address", from)
	cl.closed, cl.logged = 0, time.Now()
}
