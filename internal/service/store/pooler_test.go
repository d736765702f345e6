//go:build unix

package store_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgcluster"
	"ativa/internal/service/store/pgtest"
)

// With a pooler between that gives each transaction another connection,
// everything is kept and found.
func TestEverythingIsKeptBehindAPooler(t *testing.T) {
	t.Parallel()
	onPostgres(t)
	dsn := pgtest.URL(t)
	behind := pooled(t, dsn)
	var servers sync.WaitGroup
	seed(t, behind)
	for n := range 3 {
		servers.Go(func() {
			db, err := store.Open(t.Context(), behind, store.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			m := servicetest.New(db, servicetest.Options{})
			for i := range 20 {
				exerciseProvider(t, m, fmt.Sprintf("Azul%d.%d", n, i))
			}
		})
	}
	servers.Wait()
	wantNoFindings(t, dsn)
}

// Statements are prepared, which halves what a short one costs, but not behind
// a pooler, which gives the connection to others; the URL has the last word.
func TestAPoolerIsNoticed(t *testing.T) {
	onPostgres(t)
	dsn := pgtest.URL(t)
	behind := pooled(t, dsn)
	for _, c := range []struct {
		url      string
		prepares bool
	}{{dsn, true}, {behind, false}, {withParam(t, dsn, "default_query_exec_mode", "cache_describe"), false}} {
		db := open(t, c.url, store.Options{})
		n, err := store.Prepared(t.Context(), db)
		if err != nil || n > 0 != c.prepares {
			t.Errorf("%s: got %d prepared statements, %v, want some: %t", c.url, n, err, c.prepares)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// watchPooler is watch, for the pooler.
const watchPooler = `
"$1" -q "$2/pgbouncer.ini" >"$2/log" 2>&1 </dev/null &
pooler=$!
read -r _
kill -KILL "$pooler"
wait "$pooler"
rm -rf "$2"
`

// pooled returns the URL of a database behind a PgBouncer in transaction mode,
// in which each transaction may meet another connection of the server. It
// skips the test where PgBouncer is not installed.
func pooled(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	poolers.once.Do(func() { poolers.one, poolers.err = startPooler(u.Port()) })
	if poolers.err != nil {
		t.Fatal(poolers.err)
	}
	if poolers.one == nil {
		t.Skip("PgBouncer is not installed")
	}
	u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(poolers.one.port))
	return u.String()
}

// pooler is a running PgBouncer of this test process alone.
type pooler struct {
	port int
	life io.WriteCloser // while it is open the pooler runs
}

// poolers has the one pooler of this test process.
var poolers struct {
	once sync.Once
	one  *pooler
	err  error
}

// startPooler returns nil where there is none to start; database is the port of
// the server behind it.
func startPooler(database string) (*pooler, error) {
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			return nil, nil
		}
	}
	dir, err := os.MkdirTemp("", "ativa-pool-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	p := &pooler{}
	if p.port, err = pgcluster.FreePort(ctx); err != nil {
		return nil, err
	}
	users := filepath.Join(dir, "users")
	settings, err := poolerSettings(database, p.port, users)
	if err != nil {
		return nil, err
	}
	for path, text := range map[string]string{users: `"ativa" ""`, filepath.Join(dir, "pgbouncer.ini"): settings} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	as, err := pgcluster.Account(dir)
	if err != nil {
		return nil, err
	}
	server := exec.CommandContext(context.Background(), "sh", "-c", watchPooler, "watch", bin, dir) // ends when life is closed
	server.Dir, server.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as, Setsid: true}
	if p.life, err = server.StdinPipe(); err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	return p, listening(ctx, p.port)
}

// poolerSettings are those of docs/pgbouncer.ini, for any database of this machine.
func poolerSettings(database string, port int, users string) (string, error) {
	root, err := os.Getwd()
	for ; err == nil && root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
	}
	example, err := os.ReadFile(filepath.Join(root, "docs", "pgbouncer.ini"))
	if err != nil {
		return "", err
	}
	settings := string(example)
	for from, to := range map[string]string{
		"ativa = host=127.0.0.1 port=5432":        "* = host=127.0.0.1 port=" + database,
		"listen_port = 6432":                      fmt.Sprintf("listen_port = %d", port),
		"auth_type = scram-sha-256":               "auth_type = trust",
		"auth_file = /etc/pgbouncer/userlist.txt": "auth_file = " + users,
		"default_pool_size = 16":                  "default_pool_size = 4", // so that connections are rare
	} {
		if strings.Count(settings, from) != 1 {
			return "", fmt.Errorf("docs/pgbouncer.ini does not say %q", from)
		}
		settings = strings.Replace(settings, from, to, 1)
	}
	return settings, nil
}

// listening waits until a port of this machine takes connections.
func listening(ctx context.Context, port int) error {
	var d net.Dialer
	for {
		conn, err := d.DialContext(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the pooler does not start: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
