// Package pgcluster starts a private PostgreSQL of the installed binaries, which
// is gone when the process is. Tests and the benchmark import it, the program
// does not.
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

// ErrNotInstalled says that there is no PostgreSQL on this machine.
var ErrNotInstalled = errors.New("PostgreSQL is not installed (initdb is not in PATH, nor below /usr/lib/postgresql)")

// FreePort is a port of 127.0.0.1 for a server that is started next, or again.
// It is below those that systems lend to connections that go out (from 32,768
// on Linux, 49,152 elsewhere), which would take it while the server is not there.
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
