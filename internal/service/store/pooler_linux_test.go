package store_test

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"ativa/internal/service/store"
	"ativa/internal/service/store/pgcluster"
	"ativa/internal/service/store/pgtest"
)

// Everything works through a pooler that changes connections between transactions. Statements are
// prepared, which halves the cost of a short one, but not behind a pooler; the URL overrides this.
func TestEverythingIsKeptBehindAPooler(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	dsn := pgtest.URL(t)
	behind := pooled(t, dsn)
	seed(t, behind)
	var servers sync.WaitGroup
	for n := range 3 {
		servers.Go(func() {
			db := open(t, behind, store.Options{})
			for i := range 20 {
				f := newProvider(t, db, fmt.Sprintf("Azul%d.%d", n, i))
				f.insert(1, 5)
				f.wantCount(5)
			}
			must(t, db.Close())
		})
	}
	servers.Wait()
	wantNoFindings(t, dsn)
	for url, prepares := range map[string]bool{dsn: true, behind: false, withParam(t, dsn, "default_query_exec_mode", "cache_describe"): false} {
		db := open(t, url, store.Options{})
		n, err := db.Count(t.Context(), "pg_prepared_statements") // also the one that counts
		if err != nil || n > 0 != prepares {
			t.Errorf("%s: got %d prepared statements, %v, want some: %t", url, n, err, prepares)
		}
		must(t, db.Close())
	}
}

// pooled returns the URL of a database behind a PgBouncer with the settings of docs/pgbouncer.ini,
// where each transaction may use another connection. It skips the test if PgBouncer is not installed.
func pooled(t *testing.T, dsn string) string {
	t.Helper()
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Skip("PgBouncer is not installed")
		}
	}
	u, err := url.Parse(dsn)
	must(t, err)
	port, err := pgcluster.FreePort(t.Context())
	must(t, err)
	dir, err := os.MkdirTemp("", "ativa-pool-") // readable by the pooler's account
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	users, settings := filepath.Join(dir, "users"), filepath.Join(dir, "pgbouncer.ini")
	must(t, os.WriteFile(users, []byte(`"ativa" ""`), 0o644))
	example, err := os.ReadFile("../../../docs/pgbouncer.ini")
	must(t, err)
	// The last value of a setting counts. Connections are rare.
	text := fmt.Sprintf("%slisten_port = %d\nauth_type = trust\nauth_file = %s\ndefault_pool_size = 4\n[databases]\n* = host=127.0.0.1 port=%s\n",
		example, port, users, u.Port())
	must(t, os.WriteFile(settings, []byte(text), 0o644))
	as, err := pgcluster.Account(dir)
	must(t, err)
	pooler := exec.CommandContext(t.Context(), bin, "-q", settings)
	pooler.Dir, pooler.SysProcAttr, as.Pdeathsig = dir, as, syscall.SIGKILL
	must(t, pooler.Start())
	t.Cleanup(func() { _ = pooler.Wait() }) // it is killed at the end of the context
	u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(port))
	for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			must(t, conn.Close())
			return u.String()
		}
		if time.Now().After(deadline) {
			t.Fatal("the pooler does not start: ", err)
		}
	}
}
