// Package trials tests whole processes of the program: servers and commands that are killed, a
// database that fails over, load that lasts for hours.
package trials_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"ativa/cmd/operator"
	"ativa/internal/processtest"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgtest"
	"ativa/internal/system/systemtest"
)

func TestMain(m *testing.M) { os.Exit(mainOf(m)) }

func mainOf(m *testing.M) int {
	dir, err := processtest.PutInPath("../..")
	defer os.RemoveAll(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	pgtest.AtOnce(12) // they wait for processes and disks, not for the processor
	return pgtest.Main(m)
}

// fixture is the home, database with the products of the demo, and processes of one test.
type fixture struct{ *processtest.Fixture }

// trial is a service under load of every kind: files are imported, callers make single calls, and the
// feed is pulled and pushed. A ledger has what was acknowledged.
type trial struct {
	w           *fixture
	ledger      *ledger
	peers       *peers
	imports     *imports
	calls       *load
	readers     sync.WaitGroup
	stopReading context.CancelFunc
}

// newTrial sets up a database and the systems that the service delivers to. No server runs yet.
func newTrial(t *testing.T, dsn string) *trial {
	t.Helper()
	l := newLedger(t)
	o := newPeers(t, l)
	partner := domain.Partner{Name: "parceiro", Driver: domain.DriverHTTP, URL: o.partner.URL}
	w := &fixture{processtest.New(t, dsn, partner, operator.DevProducts())}
	o.attach(w)
	return &trial{w: w, ledger: l, peers: o}
}

// follow pulls the feed until [trial.finish]. It returns a bearer token.
func (r *trial) follow() (token string) {
	token = r.w.Token()
	reading, stop := context.WithCancel(r.w.Context())
	r.stopReading = stop
	r.readers.Go(func() { r.ledger.follow(reading, r.peers.server, token) })
	return token
}

// finish checks that everything acknowledged has happened once, and ends the readers.
func (r *trial) finish() {
	r.w.Helper()
	r.ledger.check(r.peers.feed)
	r.stopReading()
	r.readers.Wait()
}

// begin starts the load, with these imports.
func (r *trial) begin(m *imports) {
	r.w.Helper()
	r.calls = startLoad(&load{ledger: r.ledger, server: r.peers.server, token: r.follow(), pause: 5 * time.Millisecond}, 8)
	r.imports, m.w, m.ledger = m, r.w, r.ledger
	m.start()
}

// end lets the load finish and checks that everything acknowledged is there once, and that no more
// deliveries were repeated than the killed servers had in progress. expire ends the leases of these.
// It returns the number of imported rows.
func (r *trial) end(kills int, expire func()) (rows int) {
	r.w.Helper()
	rows = r.imports.stop() // first: its e-mails are queued before those of the calls
	r.calls.stop()
	expire()
	r.calls.callers.Wait()
	r.finish()
	r.w.checkList(r.ledger)
	if r.ledger.repeats > repeatsOfAKill*kills {
		r.w.Errorf("%d deliveries were repeated, for %d kills of a server", r.ledger.repeats, kills)
	}
	return rows
}

// repeatsOfAKill is how many deliveries a server has in progress, which its end may repeat: an e-mail,
// eight partner requests and four callbacks.
const repeatsOfAKill = 1 + 8 + 4

var must = systemtest.Must
