//go:build unix

package server_test

import (
	"io"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"

	"ativa/internal/service/server"
)

// A second reading would wait for a writer, and all new connections with it.
func TestAKeyFromAPipeIsReadOnce(t *testing.T) {
	f := newCertificate(t, time.Now().Add(time.Hour))
	key, err := os.ReadFile(f.key)
	must(t, err)
	must(t, os.Remove(f.key))
	must(t, syscall.Mkfifo(f.key, 0o600))
	written := make(chan error)
	write := func(content []byte) { written <- os.WriteFile(f.key, content, 0o600) } // ends when it is read

	go write(key)
	f.loaded, err = server.LoadCertificate(f.cert, f.key, slog.New(slog.NewTextHandler(&f.log, nil)))
	must(t, err)
	must(t, <-written)

	go write([]byte("no key"))
	f.loaded.Reload()
	f.wantLogged("not replaced", 0)
	f.wantName("old.example")
	pipe, err := os.Open(f.key)
	must(t, err)
	if rest, err := io.ReadAll(pipe); err != nil || string(rest) != "no key" {
		t.Errorf("the pipe has %q left, %v", rest, err)
	}
	must(t, <-written)
}
