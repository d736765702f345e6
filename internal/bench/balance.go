//go:build linux

package main

import (
	"context"
	"io"
	"net"
	"strings"
)

// balance listens in front of the servers and passes each connection to one
// of them, in turns.
func balance(ctx context.Context, servers []*server) (url string, stop func(), err error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go func() {
		var dialer net.Dialer
		for n := 0; ; n++ {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(servers[n%len(servers)].url, "http://"))
			if err != nil {
				near.Close()
				continue
			}
			go pass(near, far)
			go pass(far, near)
		}
	}()
	return "http://" + l.Addr().String(), func() { l.Close() }, nil
}

// pass copies until one side ends, which ends the other.
func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from) // a connection that broke is the client's to see
	to.Close()
	from.Close()
}
