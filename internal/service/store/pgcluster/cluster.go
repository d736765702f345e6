package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Cluster is a running PostgreSQL server of this process alone.
type Cluster struct {
	Port int // on 127.0.0.1
	dir  string
	life io.WriteCloser // the server runs while it is open
}

// watch runs the server until its standard input ends, at the latest when this process ends, for
// whatever reason. Then it stops the server and removes its directory.
const watch = `
bin=$1 dir=$2 port=$3
shift 3
"$bin/postgres" -D "$dir/data" -k "$dir" -p "$port" -c listen_addresses=127.0.0.1 \
	-c max_connections=200 -c log_min_messages=fatal "$@" >"$dir/log" 2>&1 </dev/null &
server=$!
read -r _
kill -QUIT "$server"
wait "$server"
rm -rf "$dir"
`

// Start creates a cluster with the given settings, such as "fsync=off", and starts it; as root,
// under an unprivileged account. It returns [ErrNotInstalled] if PostgreSQL is not installed.
func Start(settings ...string) (*Cluster, error) {
	port, err := FreePort(context.Background())
	if err != nil {
		return nil, err
	}
	return start(port, settings, "initdb", "-U", "ativa", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
}

// Standby starts a replica of a running cluster. The primary knows it as "walreceiver", which is
// the name for its synchronous_standby_names.
func Standby(primary *Cluster, port int, settings ...string) (*Cluster, error) {
	return start(port, settings, "pg_basebackup", "-h", "127.0.0.1", "-p", strconv.Itoa(primary.Port), "-U", "ativa", "-R", "-c", "fast", "--no-sync")
}

// start starts a cluster whose directory the PostgreSQL command fill creates.
func start(port int, settings []string, fill ...string) (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	c := &Cluster{Port: port}
	if c.dir, err = os.MkdirTemp("", "ativa-pg-"); err != nil {
		return nil, err
	}
	as, err := Account(c.dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	filling := exec.CommandContext(ctx, filepath.Join(bin, fill[0]), append(fill[1:], "-D", filepath.Join(c.dir, "data"))...)
	filling.Dir, filling.SysProcAttr = c.dir, as
	if out, err := filling.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: %s", fill[0], err, out), os.RemoveAll(c.dir))
	}
	args := []string{"-c", watch, "watch", bin, c.dir, strconv.Itoa(c.Port)}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	server := exec.CommandContext(context.Background(), "sh", args...) // ends when life is closed
	server.Dir, server.SysProcAttr = c.dir, as
	if c.life, err = server.StdinPipe(); err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	return c, c.ready(ctx)
}

// Kill ends the server at once, like a power failure, and removes its directory.
func (c *Cluster) Kill() error {
	text, err := os.ReadFile(filepath.Join(c.dir, "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	server, err := os.FindProcess(postmaster)
	if err != nil {
		return err
	}
	// The server's processes end when they notice; none of them acknowledges a commit after this.
	return errors.Join(server.Kill(), c.life.Close())
}

// binaries returns the directory of PostgreSQL's programs: from PATH, or the newest of the places
// where Debian and others put them.
func binaries() (dir string, err error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	var found []string
	for _, place := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql*/bin"} {
		programs, err := filepath.Glob(place + "/initdb")
		if err != nil {
			return "", err
		}
		found = append(found, programs...)
	}
	if len(found) == 0 {
		return "", ErrNotInstalled
	}
	return filepath.Dir(slices.Max(found)), nil
}

// URL returns the URL of a database.
func (c *Cluster) URL(name string) string {
	return fmt.Sprintf("postgres://ativa@127.0.0.1:%d/%s?sslmode=disable", c.Port, name)
}

func (c *Cluster) ready(ctx context.Context) error {
	for {
		err := c.Run(ctx, "postgres", `SELECT 1`)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
			return fmt.Errorf("the server does not start: %w\n%s", err, log)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// Run executes statements in a database.
func (c *Cluster) Run(ctx context.Context, name, statements string) error {
	return Exec(ctx, c.URL(name), statements)
}
