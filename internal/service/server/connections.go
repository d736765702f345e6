package server

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"
)

const (
	// maxConnections is the maximum number of open connections. More wait in the queue of the
	// operating system.
	maxConnections = 8192
	// maxAddressConnections is the maximum per address (for IPv6 per /64).
	maxAddressConnections = 512
)

// LimitConnections returns a listener that limits the open connections of l, in total and per
// address. It closes the connections of an address that has too many, except those of trusted
// proxies.
func LimitConnections(l net.Listener, trusted []netip.Prefix, log *slog.Logger) net.Listener {
	return &limitedListener{
		Listener: netutil.LimitListener(l, maxConnections), trusted: trusted, log: log,
		logging: rate.Sometimes{Interval: time.Minute}, open: map[string]int{},
	}
}

type limitedListener struct {
	net.Listener
	trusted []netip.Prefix
	log     *slog.Logger
	logging rate.Sometimes

	mu   sync.Mutex
	open map[string]int // number of connections by address, without those of proxies
}

// Accept returns the next connection within the limits.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostOf(conn.RemoteAddr().String())
		if isTrusted(l.trusted, host) {
			return conn, nil
		}
		address := addressKey(host)
		if l.add(address) {
			return &limitedConn{Conn: conn, release: sync.OnceFunc(func() { l.remove(address) })}, nil
		}
		_ = conn.Close()
		l.logging.Do(func() { l.log.Warn("an address has too many connections", "address", address) })
	}
}

// add counts a connection of the address, and reports whether it may stay.
func (l *limitedListener) add(address string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[address] >= maxAddressConnections {
		return false
	}
	l.open[address]++
	return true
}

func (l *limitedListener) remove(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[address]--
	if l.open[address] == 0 {
		delete(l.open, address)
	}
}

// limitedConn is a counted connection.
type limitedConn struct {
	net.Conn
	release func()
}

// Close closes the connection and stops counting it.
func (c *limitedConn) Close() error {
	c.release()
	return c.Conn.Close()
}
