//go:build unix

package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ativa/internal/api"
	"ativa/internal/cli"
)

// gate stands before the service. It lets some batches of an import pass and holds
// the others until it is opened.
type gate struct {
	*httputil.ReverseProxy
	batches atomic.Int32
	held    chan struct{} // closed when a batch is held
	opened  chan struct{}
	hold    func()
	open    func()
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const pass = 4
	if strings.HasSuffix(r.URL.Path, api.PathImport) && g.batches.Add(1) > pass {
		g.hold()
		<-g.opened
	}
	g.ReverseProxy.ServeHTTP(w, r)
}

// heldImport is a running import that has rows on the server and batches at the gate.
type heldImport struct {
	*exec.Cmd
	gate   *gate
	stderr *lockedBuffer
}

// startHeld starts the service and an import, and returns when a batch is held.
func startHeld(t *testing.T, w *processFixture, file string) heldImport {
	t.Helper()
	w.start()
	target, err := url.Parse("http://127.0.0.1:" + w.port)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{ReverseProxy: httputil.NewSingleHostReverseProxy(target), held: make(chan struct{}), opened: make(chan struct{})}
	g.ErrorLog = log.New(io.Discard, "", 0)
	g.hold, g.open = sync.OnceFunc(func() { close(g.held) }), sync.OnceFunc(func() { close(g.opened) })
	server := httptest.NewServer(g)
	t.Cleanup(func() { g.open(); server.Close() })
	w.env = append(w.env, "ATIVA_SERVER="+server.URL)
	h := heldImport{w.command("subscribers", "import", file, "--batch-size", "20", "--concurrency", "2"), g, new(lockedBuffer)}
	h.Stderr = h.stderr
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-g.held:
	case <-time.After(testTimeout):
		t.Fatalf("nothing is imported: %s", h.stderr)
	}
	return h
}

// interrupt sends a signal and returns when the import has taken it.
func (h heldImport) interrupt(t *testing.T, s os.Signal) {
	t.Helper()
	if err := h.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the notice of the signal", func() bool { return strings.Contains(h.stderr.String(), "finishing what is under way") })
}

// lockedBuffer may be written and read at once.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Ctrl-C once finishes what is under way and says how to go on.
func TestAnInterruptedImportGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signal os.Signal
		exit   int
	}{"Ctrl-C": {os.Interrupt, cli.ExitInterrupted}, "SIGTERM": {syscall.SIGTERM, cli.ExitTerminated}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProcessFixture(t)
			file := w.writeRows(1000)
			command := startHeld(t, w, file)
			command.interrupt(t, c.signal)
			command.gate.open()
			_ = command.Wait()
			said := command.stderr.String()
			if code := command.ProcessState.ExitCode(); code != c.exit || !strings.Contains(said, "ativa imports resume") {
				t.Fatalf("exit %d, want %d, and how to go on:\n%s", code, c.exit, said)
			}
			w.checkInterrupted()
			id := strings.TrimSpace(string(w.run("imports", "list", "-o", "name")))
			w.run("imports", "resume", id, "--quiet")
			w.checkSubscribers(1000)
			w.checkReport(file, 1000)
			if got := string(w.run("imports", "show", id, "--columns", "state,done", "--no-header")); got != "finished\t1000\n" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// checkInterrupted wants a journal without unanswered rows.
func (w *processFixture) checkInterrupted() {
	w.Helper()
	var listed struct {
		Imports []struct {
			State      string
			Done       int
			Unanswered int
		}
	}
	if err := json.Unmarshal(w.run("imports", "list", "-o", "json"), &listed); err != nil {
		w.Fatal(err)
	}
	if len(listed.Imports) != 1 {
		w.Fatalf("got %+v", listed)
	}
	if i := listed.Imports[0]; i.State != "interrupted" || i.Unanswered != 0 || i.Done == 0 || i.Done == 1000 {
		w.Errorf("got %+v, want an interrupted one with nothing unanswered", i)
	}
}

// Ctrl-C twice stops at once.
func TestInterruptedTwiceItStopsAtOnce(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	command := startHeld(t, w, w.writeRows(2000)) // and no answer will come
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }()
	giveUp := time.After(testTimeout)
	for on := true; on; { // the second comes as soon as the first was taken, which a busy machine may do late
		_ = command.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			on = false
		case <-time.After(100 * time.Millisecond):
		case <-giveUp:
			t.Error("it goes on")
			_ = command.Process.Kill()
			giveUp = nil
		}
	}
}

// The second of two runs of one file ends at once and names the first.
func TestTheSecondRunOfOneFileEnds(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	file := w.writeRows(2000)
	first := startHeld(t, w, file)
	second := w.command("subscribers", "import", file)
	said, err := second.CombinedOutput()
	if code := second.ProcessState.ExitCode(); code != cli.ExitUnavailable || !strings.Contains(string(said), "running already") {
		t.Errorf("exit %d, %v: %s", code, err, said)
	}
	_ = first.Process.Kill()
	_ = first.Wait()
}

// SIGTERM ends the service in good order. On SIGHUP one without a terminal reads its
// log level again and goes on.
func TestWhatSignalsDoToTheService(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("the tests run under nohup")
	}
	file, log := filepath.Join(t.TempDir(), "serve.yaml"), new(lockedBuffer)
	write := func(level string) {
		if err := os.WriteFile(file, []byte("listen: 127.0.0.1:0\nlog_level: "+level+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("info")
	w := newProcessFixture(t)
	start := func() *exec.Cmd {
		c := w.command("serve", "--config", file, "--db", w.dsn)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		c.Stderr = log
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() })
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatalf("got %q, %v: %s", line, err, log)
		}
		return c
	}
	send := func(c *exec.Cmd, s os.Signal) {
		if err := c.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	c := start()
	write("loud")
	send(c, syscall.SIGHUP)
	eventually(t, "the fault of the file", func() bool { return strings.Contains(log.String(), "log level not read again") })
	write("debug")
	send(c, syscall.SIGHUP)
	eventually(t, "the new level", func() bool { return strings.Contains(log.String(), "log_level=DEBUG") })
	send(c, syscall.SIGTERM)
	if err := c.Wait(); err != nil {
		t.Errorf("SIGTERM: got %v, want exit 0", err)
	}
}

// A signal that ends a sync ends the program from which it reads, with the programs that
// this has started.
func TestASignalStopsTheCommandOfASync(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	for s, want := range map[os.Signal]int{os.Interrupt: cli.ExitInterrupted, syscall.SIGTERM: cli.ExitTerminated} {
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		c := w.command("sync", "--from-command", "sleep 600 > "+fifo+" | cat", "--yes")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		held, err := os.Open(fifo) // when the sleep has opened it
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(held); err != nil { // up to the end of the sleep
			t.Error(err)
		}
		held.Close()
		_ = c.Wait() // the exit code is looked at
		if got := c.ProcessState.ExitCode(); got != want {
			t.Errorf("%v: exit %d, want %d", s, got, want)
		}
	}
}
