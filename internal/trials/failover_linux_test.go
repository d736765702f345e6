package trials_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ativa/internal/cli"
	"ativa/internal/processtest"
	"ativa/internal/service/store/pgcluster"
	"ativa/internal/service/store/pgtest"
)

// TestAFailoverOfPostgresLosesNothing repeatedly kills the primary and promotes its synchronous
// standby under load of two servers; the new primary gets a new standby. ATIVA_FAILOVERS is the number
// of failovers (1).
func TestAFailoverOfPostgresLosesNothing(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "postgres", "of PostgreSQL alone")
	failovers := processtest.FromEnv(t, "ATIVA_FAILOVERS", 1)
	pair := newClusterPair(t)
	r := newTrial(t, pair.dsn)
	r.w.Start()
	other := r.w.Beside()
	other.Start()
	r.begin(&imports{rows: 100, rate: 10, retried: []int{cli.ExitUnavailable, cli.ExitPartial}}, r.peers.server, "http://127.0.0.1:"+other.Port)
	for range failovers {
		r.wait(20)
		acknowledged := r.ledger.staying()
		pair.failOver()
		promoted := time.Now()
		pair.wantSubscribers(acknowledged)
		pair.addStandby()
		pair.execute("ativa", processtest.ExpireLeasesSQL) // callers wait for what was being delivered
		r.wait(20)
		t.Logf("%d subscribers were acknowledged before; both servers continued %v after the promotion", len(acknowledged), time.Since(promoted).Round(time.Millisecond))
		if took := time.Since(promoted); os.Getenv("ATIVA_FAILOVERS") != "" && took > 30*time.Second {
			t.Errorf("the servers continued after %v", took)
		}
	}
	rows := r.end(func() { pair.execute("ativa", processtest.ExpireLeasesSQL) })
	if r.ledger.repeats > 2*repeatsOfAKill*(failovers+1) { // also where leases are ended
		t.Errorf("%d deliveries were repeated, in %d failovers", r.ledger.repeats, failovers)
	}
	t.Logf("%d failovers, %d rows, %d single calls, %d deliveries repeated", failovers, rows, r.ledger.calls.Load(), r.ledger.repeats)
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
