package trials_test

import (
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/processtest"
	"ativa/internal/service/store/pgtest"
)

// TestServersAreReplaceable kills the two servers of a database in turns with SIGKILL during imports
// and calls of every kind, which come through a balancer: nothing is lost or doubled, and no import
// fails. ATIVA_KILLS is the number of kills (6), ATIVA_KILL_ROWS the rows of a file (300),
// ATIVA_KILL_EVERY the seconds between two kills (half a second; if set, the test also waits for the
// leases of dead servers to end).
func TestServersAreReplaceable(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "postgres", "a file of SQLite has one server")
	kills, rows, every := processtest.FromEnv(t, "ATIVA_KILLS", 6), processtest.FromEnv(t, "ATIVA_KILL_ROWS", 300), 500*time.Millisecond
	r := newTrial(t, pgtest.DSN(t))
	expire := r.w.ExpireLeases
	if seconds := processtest.FromEnv(t, "ATIVA_KILL_EVERY", 0); seconds > 0 {
		every, expire = time.Duration(seconds)*time.Second, func() {}
	}
	servers := r.w.startServers(2)
	r.begin(&imports{rows: rows})
	for n := range kills {
		time.Sleep(every * time.Duration(75+rand.IntN(50)) / 100)
		servers.servers[n%2].Kill()
		servers.servers[n%2].Start()
		servers.waitForAnswers(10) // so that no request is cut off every time
	}
	imported := r.end(kills, expire)
	r.w.Must("admin", "check", "--quiet")
	t.Logf("%d kills, %d rows, %d single calls, %d events, %d deliveries repeated", kills, imported, r.ledger.calls.Load(), len(r.ledger.pulled), r.ledger.repeats)
}

// pair is the servers of one database, at most two, behind a balancer.
type pair struct {
	w       *fixture
	servers []*processtest.Fixture
	answers [2]counter
}

// counter counts the parts of responses that a server gave through the balancer.
type counter struct{ atomic.Int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.Add(1)
	return len(b), nil
}

// startServers starts one server, or two.
func (w *fixture) startServers(n int) *pair {
	w.Helper()
	p := &pair{w: w}
	for range n {
		s := w.Beside()
		s.Start()
		p.servers = append(p.servers, s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+w.Port)
	must(w, err)
	w.Cleanup(func() { l.Close() })
	go p.balance(l)
	return p
}

// waitForAnswers waits until n parts of responses have come from each server.
func (p *pair) waitForAnswers(n int64) {
	p.w.Helper()
	deadline := time.Now().Add(processtest.Timeout)
	for i := range p.servers {
		enough := p.answers[i].Load() + n
		for ; p.answers[i].Load() < enough; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				p.w.Fatal("a server does not answer")
			}
		}
	}
}

// balance passes connections to the servers in turns, or to the other one if a server is down.
func (p *pair) balance(l net.Listener) {
	for n := 0; ; n++ {
		near, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer near.Close()
			for try := range 4000 {
				i := (n + try) % len(p.servers)
				far, err := net.Dial("tcp", "127.0.0.1:"+p.servers[i].Port)
				if err != nil {
					time.Sleep(10 * time.Millisecond) // both are starting
					continue
				}
				defer far.Close()
				go func() { _, _ = io.Copy(far, near); far.Close() }()
				_, _ = io.Copy(near, io.TeeReader(far, &p.answers[i]))
				return
			}
		}()
	}
}
