//go:build unix

package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"ativa/internal/cli"
)

// startSlow starts an import that takes some seconds, and returns when the
// first rows are on the server.
func startSlow(t *testing.T, w *processFixture, file string) *exec.Cmd {
	t.Helper()
	c := w.command("subscribers", "import", file, "--batch-size", "20", "--rate", "100", "--concurrency", "2")
	c.Stderr = new(bytes.Buffer)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(testTimeout)
	for strings.Trim(string(w.run("imports", "list", "--columns", "done", "--no-header")), "0\n") == "" {
		if time.Now().After(deadline) {
			t.Fatalf("nothing is imported: %s", c.Stderr)
		}
	}
	return c
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
			w.start()
			file := w.writeRows(1000)
			command := startSlow(t, w, file)
			if err := command.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_ = command.Wait()
			said := command.Stderr.(*bytes.Buffer).String()
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
	w.start()
	command := startSlow(t, w, w.writeRows(2000))
	if err := w.server.Process.Signal(syscall.SIGSTOP); err != nil { // no answer will come
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }()
	giveUp := time.After(testTimeout)
	for on := true; on; { // the second comes as soon as the first was taken, which a busy machine may do late
		_ = command.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			on = false
		case <-time.After(300 * time.Millisecond):
		case <-giveUp:
			t.Error("it goes on")
			_ = command.Process.Kill()
			giveUp = nil
		}
	}
	_ = w.server.Process.Signal(syscall.SIGCONT)
}

// The second of two runs of one file ends at once and names the first.
func TestTheSecondRunOfOneFileEnds(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	w.start()
	file := w.writeRows(2000)
	first := startSlow(t, w, file)
	second := w.command("subscribers", "import", file)
	said, err := second.CombinedOutput()
	if code := second.ProcessState.ExitCode(); code != cli.ExitUnavailable || !strings.Contains(string(said), "running already") {
		t.Errorf("exit %d, %v: %s", code, err, said)
	}
	_ = first.Process.Kill()
	_ = first.Wait()
}

// A terminal that goes away ends the service in good order, as SIGTERM does.
func TestAServiceWithoutItsTerminalStops(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("the tests run under nohup")
	}
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		w := newProcessFixture(t)
		w.start()
		if err := w.server.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if err := w.server.Wait(); err != nil {
			t.Errorf("%v: got %v, want exit 0", s, err)
		}
		w.server = nil
	}
}
