package trials_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/processtest"
	"ativa/internal/service/store/pgcluster"
	"ativa/internal/service/store/pgtest"
)

// TestAFailoverOfPostgresLosesNothing repeatedly kills the primary and promotes its synchronous
// standby during imports and calls of every kind, which come through a balancer to two servers; the
// new primary gets a new standby. ATIVA_FAILOVERS is the number of failovers (1).
func TestAFailoverOfPostgresLosesNothing(t *testing.T) {
	t.Parallel()
	pgtest.Only(t, "postgres", "of PostgreSQL alone")
	failovers := processtest.FromEnv(t, "ATIVA_FAILOVERS", 1)
	databases := newClusterPair(t)
	r := newTrial(t, databases.dsn)
	servers := r.w.startServers(2)
	r.begin(&imports{rows: 300, retried: []int{cli.ExitUnavailable, cli.ExitPartial}})
	for range failovers {
		r.ledger.waitForAnswers(servers, 20)
		databases.failOver()
		promoted := time.Now()
		databases.addStandby()
		r.ledger.waitForAnswers(servers, 20)
		took := time.Since(promoted)
		t.Logf("%d calls are acknowledged; both servers continued %v after the promotion", r.ledger.calls.Load(), took.Round(time.Millisecond))
		if os.Getenv("ATIVA_FAILOVERS") != "" && took > 30*time.Second {
			t.Errorf("the servers continued after %v", took)
		}
	}
	// A failover is to deliveries like a kill of both servers, and so is the end of their leases while
	// both deliver.
	rows := r.end(2*(failovers+1), func() { databases.execute("ativa", processtest.ExpireLeasesSQL) })
	r.w.Must("admin", "check", "--quiet")
	t.Logf("%d failovers, %d rows, %d single calls, %d deliveries repeated", failovers, rows, r.ledger.calls.Load(), r.ledger.repeats)
}

// clusterPair is a primary and its synchronous standby, on two ports that swap roles.
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
	c.primary, err = pgcluster.Start(strict...)
	must(t, err)
	c.dead, err = pgcluster.FreePort(t.Context())
	must(t, err)
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

// addStandby starts a standby and waits until it confirms commits.
func (c *clusterPair) addStandby() {
	c.Helper()
	var err error
	c.standby, err = pgcluster.Standby(c.primary, c.dead, strict...)
	must(c, err)
	for deadline := time.Now().Add(processtest.Timeout); !c.replicates(); <-time.After(20 * time.Millisecond) {
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

// replicates reports whether a standby confirms commits.
func (c *clusterPair) replicates() bool {
	c.Helper()
	const confirms = `SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'`
	return len(pgtest.Column(c, c.primary.URL("postgres"), confirms)) > 0
}
