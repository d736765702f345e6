//go:build unix

package cmd

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ativa/internal/cli"
)

// SIGTERM ends the service gracefully. On SIGHUP a service without a terminal reads its
// log level again.
func TestSIGTERMEndsTheServiceAndSIGHUPRereadsItsLogLevel(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("the tests run under nohup")
	}
	file := filepath.Join(t.TempDir(), "serve.yaml")
	log, err := os.Create(file + ".log")
	must(t, err)
	defer log.Close()
	write := func(level string) {
		must(t, os.WriteFile(file, []byte("listen: 127.0.0.1:0\nlog_level: "+level+"\n"), 0o600))
	}
	send := func(c *exec.Cmd, s os.Signal) {
		must(t, c.Process.Signal(s))
	}
	write("info")
	w := newProcessFixture(t)
	c := w.Command("serve", "--config", file, "--db", w.DSN)
	out, err := c.StdoutPipe()
	must(t, err)
	c.Stderr = log
	must(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("got %q, %v: %s", line, err, readPage(t, log.Name()))
	}
	write("loud")
	send(c, syscall.SIGHUP)
	eventually(t, "the fault of the file", func() bool { return strings.Contains(readPage(t, log.Name()), "log level not read again") })
	write("debug")
	send(c, syscall.SIGHUP)
	eventually(t, "the new level", func() bool { return strings.Contains(readPage(t, log.Name()), "log_level=DEBUG") })
	send(c, syscall.SIGTERM)
	if err := c.Wait(); err != nil {
		t.Errorf("SIGTERM: got %v, want exit 0", err)
	}
}

// The settings may come from a pipe that is written once, as with --config <(sops -d serve.yaml).
func TestTheServiceReadsItsSettingsOnce(t *testing.T) {
	t.Parallel()
	w, pipe := newProcessFixture(t), filepath.Join(t.TempDir(), "serve.yaml")
	must(t, syscall.Mkfifo(pipe, 0o600))
	go func() { _ = os.WriteFile(pipe, []byte("log_level: error\n"), 0o600) }() // when the service opens it
	w.Deliver = append(w.Deliver, "--config", pipe)
	w.Start()
}

// A signal that ends a sync also ends its --from-command and that command's children.
func TestASignalStopsTheCommandOfASync(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	for s, want := range map[os.Signal]int{os.Interrupt: cli.ExitInterrupted, syscall.SIGTERM: cli.ExitTerminated} {
		fifo := filepath.Join(t.TempDir(), "fifo")
		must(t, syscall.Mkfifo(fifo, 0o600))
		c := w.Command("sync", "--from-command", "sleep 600 > "+fifo+" | cat", "--yes")
		must(t, c.Start())
		held, err := os.Open(fifo) // blocks until the sleep opens it
		must(t, err)
		must(t, c.Process.Signal(s))
		if _, err := io.ReadAll(held); err != nil { // until the sleep ends
			t.Error(err)
		}
		held.Close()
		_ = c.Wait() // the exit code is checked
		if got := c.ProcessState.ExitCode(); got != want {
			t.Errorf("%v: exit %d, want %d", s, got, want)
		}
	}
}

func TestAPipeThatNobodyWritesIsLeftOnCtrlC(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "people.csv")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for _, line := range []string{"subscribers import ", "sync ", "provision suspend --product 1 --file ", "report reconcile --month 2026-11 ",
		"sync --apply ", "api POST /subscribers --input ", "tokens create --output-file made.csv --file ", "admin products update 1 --instructions-file ", "admin providers brand Azul --logo ",
		"products --ca-cert ", "auth token --client-key key.pem --client-cert ", "doctor --ca-cert ",
		"serve --config ", "serve --tls-key key.pem --tls-cert ", "serve --mail-from a@example.com --smtp smtp://mail.example.com --smtp-password-file "} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancelCause(t.Context())
			time.AfterFunc(100*time.Millisecond, func() { stop(errInterrupted) })
			wantInterrupted(ctx, t, strings.NewReader(""), line+pipe)
		})
	}
}
