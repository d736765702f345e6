package simulation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// network is a network in memory, of named processes and named addresses. Each message has its own
// delay, drawn from the seed, so that no two arrive at the same instant and their order does not
// depend on Go's scheduler.
type network struct {
	chance *chance
	note   func(who, what string, a ...any)

	mu         sync.Mutex
	listeners  map[string]*listener // by address
	routes     map[string][]string  // several addresses behind one, as for a load balancer
	open       []*link              // in the order of their first messages
	faulty     bool                 // connections may be cut, stalled, slow or refused
	partitions map[[2]string]time.Time
	dead       map[string]int // number of kills of a process
}

func newNetwork(c *chance, note func(who, what string, a ...any)) *network {
	return &network{chance: c, note: note, listeners: map[string]*listener{}, routes: map[string][]string{},
		partitions: map[[2]string]time.Time{}, dead: map[string]int{}}
}

var (
	errRefused = errors.New("connection refused")
	errReset   = errors.New("connection reset by peer")
)

// dialer returns the dial function of a process until it is killed. A connection gets its name, and
// with it its delays and faults, from its first message: connections dialled at one instant cannot
// be distinguished. If the server speaks first, the connection is named when it is dialled.
func (n *network) dialer(from string) func(context.Context, string, string) (net.Conn, error) {
	n.mu.Lock()
	life := n.dead[from]
	n.mu.Unlock()
	return func(_ context.Context, _, address string) (net.Conn, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.dead[from] != life || n.choose("", address) == nil {
			return nil, errRefused
		}
		k := &link{network: n, from: from, address: address, life: life}
		for i := range k.ends {
			k.ends[i] = &end{link: k, side: i, changed: make(chan struct{})}
		}
		if address == mailAddress {
			return k.ends[0], k.connect(nil)
		}
		return k.ends[0], nil
	}
}

// transport returns the round tripper of a process. Each request begins and ends at its own instant,
// which follows from its content: the order of requests that a process makes or gives up at one
// instant does not depend on Go's scheduler.
func (n *network) transport(from string) func(*http.Transport) http.RoundTripper {
	return func(t *http.Transport) http.RoundTripper {
		t.DialContext = n.dialer(from)
		return &sender{t, n, from}
	}
}

type sender struct {
	*http.Transport
	network *network
	from    string
}

func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	name := fmt.Sprint("request ", s.from, r.Method, secret.ReplaceAllString(r.URL.String(), ""), r.Header.Get(webhooks.HeaderWebhookID))
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		h := fnv.New64a()
		_, _ = h.Write(secret.ReplaceAll(body, nil))
		name = fmt.Sprint(name, h.Sum64())
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	s.pause(name)
	res, err := s.Transport.RoundTrip(r)
	if err != nil {
		s.pause(name)
		return nil, err
	}
	res.Body = &received{res.Body, s, name}
	return res, nil
}

func (s *sender) pause(name string) {
	<-time.After(s.network.chance.between(name, time.Microsecond, 100*time.Microsecond))
}

// received is the body of a response. Its error, too, comes at its own instant.
type received struct {
	io.ReadCloser
	sender *sender
	name   string
}

func (r *received) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.sender.pause(r.name)
	}
	return n, err
}

// secret matches the parts of a request that are drawn at random, perhaps at the same instant as
// others. A header has any spelling.
var secret = regexp.MustCompile(`(?mi)^(Idempotency-Key|Authorization|Webhook-Signature): .*$|/activate/[\w-]+`)

// connect names a connection by its first message and lets it be accepted a little later. The
// caller holds the network's lock.
func (k *link) connect(first []byte) error {
	n := k.network
	h := fnv.New32a()
	_, _ = h.Write(secret.ReplaceAll(first, nil))
	k.name = fmt.Sprintf("%s>%s#%08x", k.from, k.address, h.Sum32())
	l := n.choose(k.name, k.address)
	if l == nil || n.faulty && n.chance.happens("refused "+k.name, 0.02) {
		k.ended = true
		return errRefused
	}
	k.to = l.owner
	k.drawFaults(n.faulty)
	n.open = append(n.open, k)
	k.deliver(0, func() { l.incoming <- k.ends[1] })
	return nil
}

// choose returns a listener for the address, nil if there is none.
func (n *network) choose(name, address string) *listener {
	behind, ok := n.routes[address]
	if !ok {
		return n.listeners[address]
	}
	first := 0
	if name != "" {
		first = n.chance.below("route "+name, len(behind))
	}
	for i := range behind {
		if l := n.listeners[behind[(first+i)%len(behind)]]; l != nil {
			return l
		}
	}
	return nil
}

// listen lets a process accept connections.
func (n *network) listen(owner, address string) *listener {
	l := &listener{network: n, owner: owner, address: address, incoming: make(chan net.Conn, 1000), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners[address] = l
	return l
}

// kill takes a process off the network at once: what it has sent arrives, nothing else does, and
// its peers' connections are reset.
func (n *network) kill(process string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for address, l := range n.listeners {
		if l.owner == process {
			delete(n.listeners, address)
		}
	}
	n.dead[process]++
	for _, k := range slices.Clone(n.open) {
		switch process {
		case k.from:
			k.breakOff(k.ends[0])
		case k.to:
			k.breakOff(k.ends[1])
		}
	}
}

// partition holds all messages between two processes for a while.
func (n *network) partition(a, b string, d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.partitions[[2]string{a, b}] = time.Now().Add(d)
}

// heal ends all faults.
func (n *network) heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faulty = false
	clear(n.partitions)
	for _, k := range slices.Clone(n.open) {
		if k.stalled {
			k.breakOff(nil)
		}
		k.budget, k.slow = [2]int{-1, -1}, false
	}
}

// link is one connection. Its faults are drawn when it is made.
type link struct {
	network        *network
	name           string
	from, to       string // processes
	life           int    // number of the life of the process that dialled
	address        string
	ends           [2]*end // of the dialler, of the listener
	budget         [2]int  // bytes until the fault, by sending side; -1: none
	stalls         bool    // the fault is silence, not a reset
	slow           bool
	stalled, ended bool
	sent           [2]int
	last           [2]time.Time // when the last message of a side arrives
}

func (k *link) drawFaults(faulty bool) {
	c := k.network.chance
	k.budget = [2]int{-1, -1}
	if !faulty {
		return
	}
	switch n := c.below("fate "+k.name, 100); {
	case n < 8, n < 12:
		bytes := 1 << c.below("size "+k.name, 13)
		k.budget[c.below("side "+k.name, 2)] = bytes + c.below("bytes "+k.name, bytes)
		k.stalls = n >= 8
	case n < 15:
		k.slow = true
	}
}

// closed removes a connection. The caller holds the lock.
func (n *network) closed(k *link) {
	n.open = slices.DeleteFunc(n.open, func(other *link) bool { return other == k })
}

// breakOff resets a connection. The end of a dead process, if any, sees it at once, the other a
// little later. The caller holds the network's lock.
func (k *link) breakOff(dead *end) {
	if k.ended {
		return
	}
	k.ended = true
	k.network.closed(k)
	for _, e := range k.ends {
		if e == dead {
			e.fail(errReset)
		} else {
			k.deliver(1-e.side, func() { e.fail(errReset) })
		}
	}
}

// deliver calls arrive when a message of a side arrives, after that side's earlier ones. The
// caller holds the network's lock.
func (k *link) deliver(side int, arrive func()) {
	least, most := 200*time.Microsecond, 30*time.Millisecond
	if k.slow {
		least, most = 100*time.Millisecond, 8*time.Second
	}
	now := time.Now()
	held := max(0, time.Until(k.network.partitions[[2]string{k.from, k.to}]), time.Until(k.network.partitions[[2]string{k.to, k.from}]))
	at := now.Add(held + k.network.chance.between(fmt.Sprint("message ", k.name, side), least, most))
	if earliest := k.last[side].Add(time.Microsecond); at.Before(earliest) {
		at = earliest
	}
	k.last[side] = at
	time.AfterFunc(at.Sub(now), arrive)
}

// send sends a message of one side.
func (k *link) send(side int, b []byte) error {
	k.network.mu.Lock()
	defer k.network.mu.Unlock()
	switch {
	case k.ended, k.name == "" && k.life != k.network.dead[k.from]:
		return errReset
	case k.stalled:
		return nil
	}
	if k.name == "" {
		if err := k.connect(b); err != nil {
			return err
		}
	}
	cut := k.budget[side] >= 0 && k.sent[side]+len(b) > k.budget[side]
	if cut {
		b = b[:k.budget[side]-k.sent[side]]
	}
	k.sent[side] += len(b)
	to, data := k.ends[1-side], append([]byte(nil), b...)
	if len(data) > 0 {
		k.deliver(side, func() { to.receive(data) })
	}
	if !cut {
		return nil
	}
	if k.stalls {
		k.network.note("network", "%s falls silent after %d bytes", k.name, k.sent[side])
		k.stalled = true
		return nil
	}
	k.network.note("network", "%s is cut after %d bytes", k.name, k.sent[side])
	k.breakOff(k.ends[side])
	return errReset
}

// end is one end of a connection.
type end struct {
	link *link
	side int

	mu       sync.Mutex
	buffer   []byte
	err      error // after the buffer
	closed   bool
	deadline time.Time // of reads; writes never wait
	changed  chan struct{}
}

// signal wakes the reader. The caller holds mu.
func (e *end) signal() {
	close(e.changed)
	e.changed = make(chan struct{})
}

func (e *end) receive(b []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.buffer = append(e.buffer, b...)
	e.signal()
}

func (e *end) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
	e.signal()
}

func (e *end) Read(b []byte) (int, error) {
	for {
		e.mu.Lock()
		changed, deadline := e.changed, e.deadline
		switch {
		case e.closed:
			e.mu.Unlock()
			return 0, net.ErrClosed
		case !deadline.IsZero() && !time.Now().Before(deadline):
			e.mu.Unlock()
			return 0, os.ErrDeadlineExceeded
		case len(e.buffer) > 0:
			n := copy(b, e.buffer)
			e.buffer = e.buffer[n:]
			e.mu.Unlock()
			return n, nil
		case e.err != nil:
			e.mu.Unlock()
			return 0, e.err
		}
		e.mu.Unlock()
		if deadline.IsZero() {
			<-changed
			continue
		}
		t := time.NewTimer(time.Until(deadline))
		select {
		case <-changed:
		case <-t.C:
		}
		t.Stop()
	}
}

func (e *end) Write(b []byte) (int, error) {
	e.mu.Lock()
	closed, err := e.closed, e.err
	e.mu.Unlock()
	if closed {
		return 0, net.ErrClosed
	}
	if errors.Is(err, errReset) {
		return 0, err
	}
	if err := e.link.send(e.side, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (e *end) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return net.ErrClosed
	}
	e.closed = true
	e.signal()
	e.mu.Unlock()
	k := e.link
	k.network.mu.Lock()
	defer k.network.mu.Unlock()
	other := k.ends[1-e.side]
	if !k.ended && !k.stalled {
		k.deliver(e.side, func() { other.fail(io.EOF) })
	}
	other.mu.Lock()
	gone := other.closed
	other.mu.Unlock()
	if gone {
		k.network.closed(k)
	}
	return nil
}

func (e *end) LocalAddr() net.Addr  { return address(e.link.address) }
func (e *end) RemoteAddr() net.Addr { return address("192.0.2.1:1") }

func (e *end) SetDeadline(t time.Time) error      { return e.SetReadDeadline(t) }
func (e *end) SetWriteDeadline(t time.Time) error { return nil }

func (e *end) SetReadDeadline(t time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deadline = t
	e.signal()
	return nil
}

type listener struct {
	network  *network
	owner    string
	address  string
	incoming chan net.Conn
	once     sync.Once
	closed   chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.incoming:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.network.mu.Lock()
		defer l.network.mu.Unlock()
		if l.network.listeners[l.address] == l {
			delete(l.network.listeners, l.address)
		}
	})
	return nil
}

func (l *listener) Addr() net.Addr { return address(l.address) }

type address string

func (address) Network() string  { return "simulation" }
func (a address) String() string { return string(a) }
