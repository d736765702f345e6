package server

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	// MaxConnections is how many connections are open at once; when all are
	// busy, more wait in the queue of the operating system.
	MaxConnections = 8192
	// MaxAddressConnections is how many of them one address may have (IPv6: a /64).
	MaxAddressConnections = 512

	logEvery = time.Minute // one line about closed connections
)

// ConnectionLimiter bounds the connections of a server, in all and of one address.
// Where there is no room, the one that has been idle for longest is closed. It
// hears of idle ones as the ConnState of the [http.Server].
type ConnectionLimiter struct {
	// Max is MaxConnections by default, and PerAddress MaxAddressConnections.
	Max, PerAddress int
	// Trusted proxies may have any number.
	Trusted []netip.Prefix
	Log     *slog.Logger // default: nothing is logged

	mu     sync.Mutex
	freed  sync.Cond // a connection ended or became idle, or a listener closed
	open   map[*limitedConn]bool
	closed int // since the last line of the log
	logged time.Time
}

// limitedConn is a connection that is counted; its fields are guarded by the mutex.
type limitedConn struct {
	net.Conn
	of    *ConnectionLimiter
	from  string
	proxy bool
	idle  bool
	since time.Time // of idle
}

// Close gives the place back.
func (c *limitedConn) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.freed.Broadcast()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// ConnState takes note that a connection became idle or busy. A new one counts as
// idle until the head of its first request has come.
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

// Listener bounds the connections of l. It is called once.
func (cl *ConnectionLimiter) Listener(l net.Listener) net.Listener {
	cl.freed.L, cl.open = &cl.mu, map[*limitedConn]bool{}
	if cl.Max == 0 {
		cl.Max = MaxConnections
	}
	if cl.PerAddress == 0 {
		cl.PerAddress = MaxAddressConnections
	}
	if cl.Log == nil {
		cl.Log = slog.New(slog.DiscardHandler)
	}
	return &limitedListener{Listener: l, of: cl}
}

type limitedListener struct {
	net.Listener
	of    *ConnectionLimiter
	ended bool // guarded by the mutex of the connections
}

// Accept returns the next connection that there is room for.
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

// Close ends the listener, also an Accept that waits for room.
func (l *limitedListener) Close() error {
	l.of.mu.Lock()
	l.ended = true
	l.of.freed.Broadcast()
	l.of.mu.Unlock()
	return l.Listener.Close()
}

// admit makes room for a connection, and reports whether there is any. It waits
// while every connection is busy, and refuses when those of one address are.
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

// closeIdle closes the connection that has been idle for longest, of one address
// or of all, and reports whether there was one.
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

// logClosed logs that a connection was closed for want of room, once in a while.
func (cl *ConnectionLimiter) logClosed(from string) {
	cl.closed++
	if time.Since(cl.logged) < logEvery {
		return
	}
	cl.Log.Warn("connections were closed to make room", "closed", cl.closed, "open", len(cl.open), "last_address", from)
	cl.closed, cl.logged = 0, time.Now()
}
