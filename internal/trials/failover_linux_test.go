package trials_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ativa/internal/cli"
	"ativa/internal/processtest"
	"ativa/internal/service/domain"
	"ativa/internal/service/store/pgcluster"
	"ativa/internal/service/store/pgtest"
)

// TestAFailoverOfPostgresLosesNothing repeatedly kills the primary and promotes its synchronous
// standby while two servers import, register and cancel; the new primary gets a new standby.
// ATIVA_FAILOVERS is the number of failovers (1).
func TestAFailoverOfPostgresLosesNothing(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "postgres", "of PostgreSQL alone")
	const rowsPerFailover = 400
	failovers := processtest.FromEnv(t, "ATIVA_FAILOVERS", 1)
	pair := newClusterPair(t)
	partner := newPartnerReceiver(t)
	w := newFixture(t, pair.dsn, domain.Partner{Name: "parceiro", Driver: domain.DriverHTTP, URL: partner.URL})
	w.Start()
	other := w.Beside()
	other.Start()
	rows := failovers * rowsPerFailover
	imported := w.importUntilDone(w.WriteRows(rows), rowsPerFailover/4)
	calls := startCalls(t, rows, w.Token(), w.Port, other.Port)
	for range failovers {
		calls.wait(t, 20)
		acknowledged := calls.failOver(t, pair)
		promoted := time.Now()
		pair.wantSubscribers(acknowledged)
		pair.addStandby()
		calls.wait(t, 20) // by each server
		t.Logf("%d calls were acknowledged before; both servers continued %v after the promotion", len(acknowledged), time.Since(promoted).Round(time.Millisecond))
		if took := time.Since(promoted); os.Getenv("ATIVA_FAILOVERS") != "" && took > 30*time.Second {
			t.Errorf("the servers continued after %v", took)
		}
	}
	<-imported
	registered, canceled := calls.stop()
	services := w.CheckSubscribers(rows + registered)
	pair.execute("ativa", processtest.ExpireLeasesSQL)
	// A cancellation supersedes an unsent e-mail.
	if mails := w.Mails(services - canceled); mails < services-canceled || mails > services {
		t.Errorf("got %d e-mails for %d services, of which %d were canceled", mails, services, canceled)
	}
	requests, repeats := partner.wait(t, canceled)
	if n := pair.number(`SELECT COUNT(*) FROM operation`); n != services+canceled {
		t.Errorf("got %d operations for %d services and %d cancellations", n, services, canceled)
	}
	if requests != canceled || repeats > 32*failovers {
		t.Errorf("got %d partner requests and %d repeats of them, want %d", requests, repeats, canceled)
	}
	w.Must("admin", "check", "--quiet")
	t.Logf("%d failovers, %d rows, %d single calls that registered, %d that canceled, %d repeats of partner requests", failovers, rows, registered, canceled, repeats)
}

// clusterPair is a primary and its synchronous standby, on two ports that swap
// roles.
type clusterPair struct {
	*testing.T
	primary, standby *pgcluster.Cluster
	dsn              string
	dead             int // the free port
}

// strict makes every commit wait for the standby, even while there is none: acknowledged data is
// always in two places.
var strict = []string{"synchronous_standby_names=walreceiver", "synchronous_commit=on", "fsync=off", "autovacuum=off", "shared_buffers=32MB"}

func newClusterPair(t *testing.T) *clusterPair {
	t.Helper()
	c := &clusterPair{T: t}
	var err error
	if c.primary, err = pgcluster.Start(strict...); err != nil {
		t.Fatal(err)
	}
	if c.dead, err = pgcluster.FreePort(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Without target_session_attrs: the servers must not take the standby either.
	c.dsn = fmt.Sprintf("postgres://ativa@127.0.0.1:%d,127.0.0.1:%d/ativa?sslmode=disable", c.primary.Port, c.dead)
	t.Cleanup(func() { _ = c.primary.Kill() })
	c.addStandby()
	t.Cleanup(func() { _ = c.standby.Kill() })
	c.execute("postgres", `CREATE DATABASE ativa`)
	return c
}

func (c *clusterPair) execute(database, statement string) {
	c.Helper()
	must(c, c.primary.Run(context.Background(), database, statement))
}

func (c *clusterPair) addStandby() {
	c.Helper()
	var err error
	if c.standby, err = pgcluster.Standby(c.primary, c.dead, strict...); err != nil {
		c.Fatal(err)
	}
	c.untilReplicated()
}

// untilReplicated waits until the standby confirms commits.
func (c *clusterPair) untilReplicated() {
	c.Helper()
	for deadline := time.Now().Add(processtest.Timeout); c.count("postgres", `SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'`) == 0; <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.Fatal("the standby does not follow")
		}
	}
}

// failOver kills the primary and promotes the standby.
func (c *clusterPair) failOver() {
	c.Helper()
	must(c, c.primary.Kill())
	c.primary, c.standby, c.dead = c.standby, c.primary, c.primary.Port
	c.execute("postgres", `SELECT pg_promote()`)
}

func (c *clusterPair) number(query string) int { return c.count("ativa", query) }

func (c *clusterPair) count(database, query string) (n int) {
	c.Helper()
	conn, err := pgx.Connect(c.Context(), c.primary.URL(database))
	must(c, err)
	defer conn.Close(c.Context())
	must(c, conn.QueryRow(c.Context(), query).Scan(&n))
	return n
}

// wantSubscribers checks that acknowledged subscribers exist, before any call is repeated.
func (c *clusterPair) wantSubscribers(documents []string) {
	c.Helper()
	numbers := make([]string, len(documents))
	for i, d := range documents {
		numbers[i] = strings.TrimLeft(d, "0")
	}
	if n := c.number(`SELECT COUNT(*) FROM subscriber WHERE document IN (` + strings.Join(numbers, ",") + `)`); n != len(documents) {
		c.Errorf("after the failover %d of %d acknowledged subscribers exist", n, len(documents))
	}
}

// importUntilDone imports the file, retries while the service is unavailable, and closes the channel
// at the end.
func (w *fixture) importUntilDone(file string, rate int) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c := w.Command("subscribers", "import", file, "--batch-size", "20", "--concurrency", "4", "--quiet", "--rate", strconv.Itoa(rate))
			out, err := c.CombinedOutput()
			var exit *exec.ExitError
			switch {
			case err == nil:
				return
			case !errors.As(err, &exit) || exit.ExitCode() != cli.ExitUnavailable && exit.ExitCode() != cli.ExitPartial:
				w.Errorf("the import: %v: %s", err, out)
				return
			}
		}
	}()
	return done
}

// singleCalls registers subscribers and cancels every fourth, each call with one idempotency key until
// it is acknowledged, as clients should.
type singleCalls struct {
	t       *testing.T
	token   string
	first   int
	done    chan struct{}
	running sync.WaitGroup

	mu         sync.Mutex
	next       int
	registered []string       // the acknowledged documents
	canceled   int            // acknowledged
	ofServer   map[string]int // acknowledged calls by port
}

// startCalls starts two callers for each server; their subscribers are numbered from first
// on.
func startCalls(t *testing.T, first int, token string, ports ...string) *singleCalls {
	c := &singleCalls{t: t, token: token, first: first, done: make(chan struct{}), ofServer: map[string]int{}}
	for _, port := range ports {
		c.ofServer[port] = 0
		for range 2 {
			c.running.Go(func() { c.run(port) })
		}
	}
	return c
}

func (c *singleCalls) run(port string) {
	for {
		select {
		case <-c.done:
			return
		case <-time.After(20 * time.Millisecond): // the pace of a shop, not a load test
		}
		c.mu.Lock()
		i := c.first + c.next
		c.next++
		c.mu.Unlock()
		document, products := processtest.Document(i), "[1]"
		if i%3 == 0 {
			products = "[1,3]"
		}
		ok := c.call(port, "/subscribers/import", fmt.Sprintf("r%d", i), fmt.Sprintf(`{"subscribers":[{"document":%q,"name":"Pessoa %d","email":"p%d@example.com",
			"phone":"+55119%08d","products_ids":%s}]}`, document, i, i, i, products))
		if !ok {
			return
		}
		c.mu.Lock()
		c.registered = append(c.registered, document)
		c.mu.Unlock()
		if i%4 == 0 {
			if !c.call(port, "/provision/deactivate", fmt.Sprintf("d%d", i), fmt.Sprintf(`{"contentSupplierProduct":1,"documents":[%q]}`, document)) {
				return
			}
			c.mu.Lock()
			c.canceled++
			c.mu.Unlock()
		}
	}
}

// call repeats a call until it is acknowledged.
func (c *singleCalls) call(port, path, key, body string) bool {
	for deadline := time.Now().Add(processtest.Timeout); time.Now().Before(deadline); <-time.After(50 * time.Millisecond) {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1:"+port+path, strings.NewReader(body))
		if err != nil {
			c.t.Error(err)
			return false
		}
		req.Header.Set("Authorization", "Bearer "+c.token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		switch {
		case err != nil, res.StatusCode == http.StatusServiceUnavailable, res.StatusCode == http.StatusTooManyRequests:
			continue
		case res.StatusCode != http.StatusOK:
			c.t.Errorf("%s was answered with %d: %s", path, res.StatusCode, text)
			return false
		}
		c.mu.Lock()
		c.ofServer[port]++
		c.mu.Unlock()
		return true
	}
	c.t.Errorf("%s on port %s is not acknowledged", path, port)
	return false
}

// failOver kills the primary and returns the documents acknowledged before.
func (c *singleCalls) failOver(t *testing.T, pair *clusterPair) []string {
	t.Helper()
	c.mu.Lock()
	acknowledged := append([]string(nil), c.registered...)
	c.mu.Unlock()
	pair.failOver()
	return acknowledged
}

// wait waits until each server has acknowledged n more calls.
func (c *singleCalls) wait(t *testing.T, n int) {
	t.Helper()
	reached := func(goal map[string]int) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for port, n := range goal {
			if c.ofServer[port] < n {
				return false
			}
		}
		return true
	}
	goal := map[string]int{}
	c.mu.Lock()
	for port, before := range c.ofServer {
		goal[port] = before + n
	}
	c.mu.Unlock()
	for deadline := time.Now().Add(processtest.Timeout); !reached(goal); <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a server does not continue")
		}
	}
}

// stop lets running calls end and returns the numbers of registrations and cancellations.
func (c *singleCalls) stop() (registered, canceled int) {
	close(c.done)
	c.running.Wait()
	return len(c.registered), c.canceled
}

// partnerReceiver is a partner that accepts every request and counts them.
type partnerReceiver struct {
	*httptest.Server
	mu       sync.Mutex
	requests map[string]int // by operation
}

func newPartnerReceiver(t *testing.T) *partnerReceiver {
	r := &partnerReceiver{requests: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var body struct {
			Operation string `json:"operation_id"`
			Type      string
		}
		if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
			return // its server ended
		}
		if strings.HasPrefix(body.Type, "service.cancellation.") {
			r.mu.Lock()
			r.requests[body.Operation]++
			r.mu.Unlock()
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(r.Close)
	return r
}

// wait waits until that many operations were requested, and returns the numbers of operations and of
// repeated requests.
func (r *partnerReceiver) wait(t *testing.T, operations int) (requests, repeats int) {
	t.Helper()
	for deadline := time.Now().Add(processtest.Timeout); ; <-time.After(50 * time.Millisecond) {
		r.mu.Lock()
		requests, repeats = len(r.requests), -len(r.requests)
		for _, n := range r.requests {
			repeats += n
		}
		r.mu.Unlock()
		if requests >= operations || time.Now().After(deadline) {
			return requests, repeats
		}
	}
}
