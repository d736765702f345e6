//go:build unix

package pgtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ativa/internal/store/pgcluster"
)

// watchPooler is watch, for the pooler.
const watchPooler = `
"$1" -q "$2/pgbouncer.ini" >"$2/log" 2>&1 </dev/null &
pooler=$!
read -r _
kill -KILL "$pooler"
wait "$pooler"
rm -rf "$2"
`

// Pooled returns the URL of a database behind a PgBouncer in transaction mode,
// in which each transaction may meet another connection of the server. It
// skips the test where PgBouncer is not installed.
func Pooled(t TB, url string) string {
	t.Helper()
	p, err := sharedPooler()
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		t.Skip("PgBouncer is not installed")
	}
	return strings.Replace(url, fmt.Sprintf(":%d/", need(t).Port), fmt.Sprintf(":%d/", p.port), 1)
}

// pooler is a running PgBouncer of this test process alone.
type pooler struct {
	port int
	life io.WriteCloser // while it is open the pooler runs
}

var sharedPooler = sync.OnceValues(startPooler)

// startPooler returns nil where there is none to start.
func startPooler() (*pooler, error) {
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			return nil, nil
		}
	}
	c, err := shared()
	if err != nil {
		return nil, err
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
	settings, err := poolerSettings(c.Port, p.port, users)
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
	server := exec.CommandContext(context.Background(), "sh", "-c", watchPooler, "watch", bin, dir) // it ends with life
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
func poolerSettings(database, port int, users string) (string, error) {
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
		"ativa = host=127.0.0.1 port=5432":        fmt.Sprintf("* = host=127.0.0.1 port=%d", database),
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
