// Package pgcluster starts a private PostgreSQL server from the installed binaries, which ends
// with the process. Tests and the benchmark import it; the program does not.
package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// ErrNotInstalled is returned if this machine has no PostgreSQL.
var ErrNotInstalled = errors.New("PostgreSQL is not installed (initdb is not in PATH, nor below /usr/lib/postgresql)")

// FreePort returns a free port of 127.0.0.1 for a server that is started, or restarted, later. It
// is below the ephemeral ports (from 32,768 on Linux, 49,152 elsewhere), so that no outgoing
// connection takes it while the server is down.
func FreePort(ctx context.Context) (int, error) {
	const first, many = 16_000, 16_000
	var config net.ListenConfig
	var err error
	for range 100 {
		port := first + rand.IntN(many)
		var l net.Listener
		if l, err = config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("no port is free: %w", err)
}

// Exec runs statements in the database of a URL.
func Exec(ctx context.Context, url, statements string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statements)
	return err
}
