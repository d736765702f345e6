// Package pgcluster starts a private PostgreSQL server from the installed binaries, which ends
// with the process. Tests and the benchmark import it; the program does not.
package pgcluster

import (
	"context"
	"errors"
	"net"

	"github.com/jackc/pgx/v5"

	"ativa/internal/system/systemtest"
)

// ErrNotInstalled is returned if this machine has no PostgreSQL.
var ErrNotInstalled = errors.New("PostgreSQL is not installed (initdb is not in PATH, nor below /usr/lib/postgresql)")

// FreePort returns a free port of 127.0.0.1 for a server that is started, or restarted, later.
func FreePort(ctx context.Context) (int, error) {
	l, err := systemtest.Listen(ctx)
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
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
