package trials_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/processtest"
	"ativa/internal/service/store/pgtest"
)

// TestServersAreReplaceable kills the two servers of a database in turns with SIGKILL during an
// import and a list of activations, which come through a balancer: nothing is lost or doubled,
// and no command fails. ATIVA_KILLS is the number of kills (6), ATIVA_KILL_ROWS the rows of the
// file (1,000), ATIVA_KILL_EVERY the seconds between two kills (half a second; if set, the test
// also waits for the leases of dead servers to end).
func TestServersAreReplaceable(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "postgres", "a file of SQLite has one server")
	kills, rows, every := processtest.FromEnv(t, "ATIVA_KILLS", 6), processtest.FromEnv(t, "ATIVA_KILL_ROWS", 1000), 500*time.Millisecond
	seconds := processtest.FromEnv(t, "ATIVA_KILL_EVERY", 0)
	if seconds > 0 {
		every = time.Duration(seconds) * time.Second
	}
	w := newFixture(t, pgtest.DSN(t), manual())
	pair := w.startServers(2)
	known := filepath.Join(w.Dir, "known.csv") // existing subscribers, activated meanwhile
	var b strings.Builder
	b.WriteString("document;name;email;phone\n")
	for i := rows; i < rows+rows/4; i++ {
		fmt.Fprintf(&b, "%s;Conhecida %d;c%d@example.com;+55119%08d\n", processtest.Document(i), i, i, i)
	}
	if err := os.WriteFile(known, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Must("subscribers", "import", known, "--quiet")

	rate := strconv.Itoa(max(int(float64(rows)/(float64(kills)*every.Seconds())), 50))
	var commands sync.WaitGroup
	var imported []byte
	commands.Go(func() {
		imported = w.Must("subscribers", "import", w.WriteRows(rows), "--batch-size", "20", "--concurrency", "4", "--rate", rate, "--quiet", "-o", "json")
	})
	commands.Go(func() {
		w.Must("provision", "activate", "--product", "musica-familia", "--file", known, "--rate", rate, "--quiet", "-y")
	})
	over := make(chan struct{})
	go func() { commands.Wait(); close(over) }()
	killed := pair.killInTurns(every, over)

	s, err := summaryOf(imported)
	if err != nil {
		t.Fatalf("%v: %s", err, imported)
	}
	if s.Created+s.Existing+s.Duplicate+s.Sent != rows || s.Failed+s.Unknown+s.NotSent != 0 {
		t.Errorf("the summary is %+v, want %d rows answered", s, rows)
	}
	services := w.checkPair(rows, rows/4)
	if seconds == 0 {
		w.ExpireLeases()
	}
	mails := w.Mails(services) // the jobs of dead servers are claimed again when their leases have ended
	t.Logf("%d kills, %d rows, %d services, %d e-mails", killed, rows, services, mails)
	if mails < services || mails > services+killed {
		t.Errorf("got %d e-mails for %d services and %d kills", mails, services, killed)
	}
	w.Must("admin", "check")
}

// checkPair checks that the imported and the known subscribers exist once, with exactly their
// services.
func (w *fixture) checkPair(rows, known int) (services int) {
	w.Helper()
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(w.Must("subscribers", "list", "-o", "jsonl"))), "\n") {
		var s struct {
			Document, Name string
			Services       []struct{ Status string }
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			w.Fatalf("%v: %s", err, line)
		}
		var kind string
		var i int
		if _, err := fmt.Sscan(s.Name, &kind, &i); err != nil || processtest.Document(i) != s.Document || seen[s.Document] {
			w.Errorf("got %s with the name %q, seen before %t", s.Document, s.Name, seen[s.Document])
		}
		want := 1
		if kind == "Pessoa" && i%3 == 0 {
			want = 2
		}
		if len(s.Services) != want {
			w.Errorf("subscriber %d has %d services, want %d", i, len(s.Services), want)
		}
		seen[s.Document] = true
		services += len(s.Services)
	}
	if len(seen) != rows+known {
		w.Errorf("got %d subscribers, want %d", len(seen), rows+known)
	}
	return services
}

// pair is the servers of one database, at most two, behind a balancer.
type pair struct {
	w     *fixture
	ports [2]string
	mu    sync.Mutex
	procs [2]*exec.Cmd

	answers atomic.Int64 // parts of responses that came through the balancer
}

// Write counts a part of a response.
func (p *pair) Write(b []byte) (int, error) {
	p.answers.Add(1)
	return len(b), nil
}

// startServers starts one server, or two.
func (w *fixture) startServers(n int) *pair {
	w.Helper()
	p := &pair{w: w, ports: [2]string{processtest.FreePort(w.T), processtest.FreePort(w.T)}}
	for i := range n {
		p.start(i)
		w.Cleanup(func() { p.kill(i) })
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+w.Port)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { l.Close() })
	go p.balance(l)
	return p
}

func (p *pair) start(i int) {
	p.w.Helper()
	w := p.w.Beside()
	w.Port = p.ports[i]
	w.Start()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.procs[i] = w.Server
}

func (p *pair) kill(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.procs[i].Process.Kill()
	_ = p.procs[i].Wait()
}

// killInTurns kills and starts the servers until the work is over. Between two kills each running
// request can be answered, however busy the machine: one that is cut off every time is given up
// in the end.
func (p *pair) killInTurns(every time.Duration, over chan struct{}) (kills int) {
	for i := 0; ; i = 1 - i {
		select {
		case <-over:
			return kills
		case <-time.After(every * time.Duration(75+rand.IntN(50)) / 100):
		}
		p.kill(i)
		kills++
		p.start(i)
		p.waitForAnswers(10, over) // twice the number of concurrent requests
	}
}

// waitForAnswers waits until n parts of responses have come through the balancer, or for over.
func (p *pair) waitForAnswers(n int64, over chan struct{}) {
	for enough := p.answers.Load() + n; p.answers.Load() < enough; {
		select {
		case <-over:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// balance passes connections to the servers in turns, or to the other one if a server is
// down.
func (p *pair) balance(l net.Listener) {
	for n := 0; ; n++ {
		near, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer near.Close()
			for try := range 4000 {
				far, err := net.Dial("tcp", "127.0.0.1:"+p.ports[(n+try)%2])
				if err != nil {
					time.Sleep(10 * time.Millisecond) // both are starting
					continue
				}
				defer far.Close()
				go func() { _, _ = io.Copy(far, near); far.Close() }()
				_, _ = io.Copy(near, io.TeeReader(far, p))
				return
			}
		}()
	}
}
