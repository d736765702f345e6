package systemtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Listen listens on a port of 127.0.0.1 that nobody else takes after the listener is closed. It is
// below the ephemeral ports (from 32,768 on Linux, 49,152 elsewhere), which outgoing connections and
// listeners without a port of their own get.
func Listen(ctx context.Context) (l net.Listener, err error) {
	const first, many = 16_000, 16_000
	var config net.ListenConfig
	for range 100 {
		if l, err = config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(many)))); err == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("no port is free: %w", err)
}
