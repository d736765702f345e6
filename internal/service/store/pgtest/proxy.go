package pgtest

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"

	"ativa/internal/service/store/pgcluster"
	"ativa/internal/system/systemtest"
)

// Proxy forwards connections to a database, so that a test can cut them.
type Proxy struct {
	URL    string
	target string
	addr   string

	stalled, mute atomic.Bool

	mu       sync.Mutex
	listener net.Listener
	open     []net.Conn
}

// readyForQuery is the message with which the server ends a login.
var readyForQuery = []byte("Z\x00\x00\x00\x05I")

// NewProxy returns a proxy that forwards everything to a database.
func NewProxy(t TB, database string) *Proxy {
	t.Helper()
	u, err := url.Parse(database)
	systemtest.Must(t, err)
	port, err := pgcluster.FreePort(t.Context())
	systemtest.Must(t, err)
	p := &Proxy{target: u.Host, addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	p.Restore(t)
	u.Host = p.addr
	p.URL = u.String()
	t.Cleanup(p.Cut)
	return p
}

// Restore accepts connections, again on the same address.
func (p *Proxy) Restore(t TB) {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", p.addr)
	systemtest.Must(t, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener = l
	p.stalled.Store(false)
	go p.serve(l)
}

// Cut closes every connection and accepts no more, like a server that went down.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener.Close()
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

// Stall forwards nothing more but leaves connections open, like a broken network.
func (p *Proxy) Stall() { p.stalled.Store(true) }

// Mute forwards what comes before the first query of a connection and no more, like a pooler
// without a database.
func (p *Proxy) Mute() { p.mute.Store(true) }

func (p *Proxy) serve(l net.Listener) {
	for {
		near, err := l.Accept()
		if err != nil {
			return
		}
		var d net.Dialer
		far, err := d.DialContext(context.Background(), "tcp", p.target)
		if err != nil {
			near.Close()
			continue
		}
		p.mu.Lock()
		p.open = append(p.open, near, far)
		p.mu.Unlock()
		go p.pass(near, far)
		go p.pass(far, near)
	}
}

func (p *Proxy) pass(from, to net.Conn) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		if p.stalled.Load() {
			_, _ = io.Copy(io.Discard, from)
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
		if p.mute.Load() && bytes.Contains(b[:n], readyForQuery) {
			p.Stall()
		}
	}
}
