package trials_test

import (
	"io"
	"math/rand/v2"
	"net"
	"net/http"
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
		servers[n%2].Kill()
		servers[n%2].Start()
		r.ledger.waitForAnswers(servers, 10) // so that no request is cut off every time
	}
	imported := r.end(kills, expire)
	r.w.Must("admin", "check", "--quiet")
	t.Logf("%d kills, %d rows, %d single calls, %d events, %d deliveries repeated", kills, imported, r.ledger.calls.Load(), len(r.ledger.pulled), r.ledger.repeats)
}

// startServers starts servers of one database behind a balancer.
func (w *fixture) startServers(n int) (servers []*processtest.Fixture) {
	w.Helper()
	for range n {
		s := w.Beside()
		s.Start()
		servers = append(servers, s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+w.Port)
	must(w, err)
	w.Cleanup(func() { l.Close() })
	go balance(l, servers)
	return servers
}

// waitForAnswers waits until each server is ready and n more requests are answered.
func (l *ledger) waitForAnswers(servers []*processtest.Fixture, n int64) {
	l.t.Helper()
	for _, s := range servers {
		if status, text := l.get(l.t.Context(), "http://127.0.0.1:"+s.Port+"/readyz", ""); status != http.StatusOK {
			l.t.Errorf("a server is not ready: %d %s", status, text)
		}
	}
	for enough := l.answers.Load() + n; l.answers.Load() < enough && !l.t.Failed(); {
		time.Sleep(10 * time.Millisecond)
	}
}

// balance passes connections to the servers in turns, or to the other one if a server is down.
func balance(l net.Listener, servers []*processtest.Fixture) {
	for n := 0; ; n++ {
		near, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer near.Close()
			for try := range 4000 {
				far, err := net.Dial("tcp", "127.0.0.1:"+servers[(n+try)%len(servers)].Port)
				if err != nil {
					time.Sleep(10 * time.Millisecond) // both are starting
					continue
				}
				defer far.Close()
				go func() { _, _ = io.Copy(far, near); far.Close() }()
				_, _ = io.Copy(near, far)
				return
			}
		}()
	}
}
