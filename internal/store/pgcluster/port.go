package pgcluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

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
