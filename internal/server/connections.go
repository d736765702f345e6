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

// Connections bounds the connections of a server, in all and of one address.
// Where there is no room, the one that has been idle for longest is closed. It
// hears of idle ones as the ConnState of the [http.Server].
type Connections struct {
	// Max is MaxConnections by default, and PerAddress MaxAddressConnections.
	Max, PerAddress int
	// Trusted proxies may have any number.
	Trusted []netip.Prefix
	Log     *slog.Logger // default: nothing is logged

	mu     sync.Mutex
	freed  sync.Cond // a connection ended or became idle, or a listener closed
	open   map[*bounded]bool
	closed int // since the last line of the log
	logged time.Time
}

// bounded is a connection that is counted; its fields are guarded by the mutex.
type bounded struct {
	net.Conn
	of    *Connections
	from  string
	proxy bool
	idle  bool
	since time.Time // of idle
}

// Close gives the place back.
func (c *bounded) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.freed.Broadcast()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// State takes note that a connection became idle or busy. A new one counts as
// idle until the head of its first request has come.
func (s *Connections) State(conn net.Conn, state http.ConnState) {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	c, ok := conn.(*bounded)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.idle, c.since = state == http.StateNew || state == http.StateIdle, time.Now()
	if c.idle {
		s.freed.Broadcast()
	}
}

// Listen bounds the connections of l. It is called once.
func (s *Connections) Listen(l net.Listener) net.Listener {
	s.freed.L, s.open = &s.mu, map[*bounded]bool{}
	if s.Max == 0 {
		s.Max = MaxConnections
	}
	if s.PerAddress == 0 {
		s.PerAddress = MaxAddressConnections
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	return &boundedListener{Listener: l, of: s}
}

type boundedListener struct {
	net.Listener
	of    *Connections
	ended bool // guarded by the mutex of the connections
}

// Accept returns the next connection that there is room for.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostOf(conn.RemoteAddr().String())
		c := &bounded{Conn: conn, of: l.of, from: addressKey(host), proxy: isTrusted(l.of.Trusted, host), idle: true, since: time.Now()}
		if l.of.admit(c, l) {
			return c, nil
		}
		_ = conn.Close()
	}
}

// Close ends the listener, also an Accept that waits for room.
func (l *boundedListener) Close() error {
	l.of.mu.Lock()
	l.ended = true
	l.of.freed.Broadcast()
	l.of.mu.Unlock()
	return l.Listener.Close()
}

// admit makes room for a connection, and reports whether there is any. It waits
// while every connection is busy, and refuses when those of one address are.
func (s *Connections) admit(c *bounded, l *boundedListener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.proxy && s.count(c.from) >= s.PerAddress && !s.closeIdle(c.from) {
		s.tell(c.from)
		return false
	}
	for len(s.open) >= s.Max && !l.ended && !s.closeIdle("") {
		s.freed.Wait()
	}
	if l.ended {
		return false
	}
	s.open[c] = true
	return true
}

func (s *Connections) count(from string) (n int) {
	for c := range s.open {
		if c.from == from {
			n++
		}
	}
	return n
}

// closeIdle closes the connection that has been idle for longest, of one address
// or of all, and reports whether there was one.
func (s *Connections) closeIdle(from string) bool {
	var longest *bounded
	for c := range s.open {
		if c.idle && (from == "" || c.from == from) && (longest == nil || c.since.Before(longest.since)) {
			longest = c
		}
	}
	if longest == nil {
		return false
	}
	delete(s.open, longest)
	_ = longest.Conn.Close()
	s.tell(longest.from)
	return true
}

// tell logs that a connection was closed for want of room, once in a while.
func (s *Connections) tell(from string) {
	s.closed++
	if time.Since(s.logged) < logEvery {
		return
	}
	s.Log.Warn("connections were closed to make room", "closed", s.closed, "open", len(s.open), "last_address", from)
	s.closed, s.logged = 0, time.Now()
}
