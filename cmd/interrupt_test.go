package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// startHeld starts the service and an import, and returns when a batch is held, with what lets the
// batches go on and the path of what the import prints.
func startHeld(t *testing.T, w *processFixture, file string) (h *exec.Cmd, open func(), printed string) {
	t.Helper()
	w.Start()
	held, opened := make(chan struct{}), make(chan struct{})
	hold := sync.OnceFunc(func() { close(held) })
	open = sync.OnceFunc(func() { close(opened) })
	proxy := newFailingProxy(t, "http://127.0.0.1:"+w.Port)
	proxy.fail(func(n int32) (bool, bool) {
		if n > 4 {
			hold()
			<-opened
		}
		return true, true
	})
	t.Cleanup(open)
	w.Env = append(w.Env, "ATIVA_SERVER="+proxy.url)
	h, printed = w.Command("subscribers", "import", file, "--batch-size", "20", "--concurrency", "2"), filepath.Join(w.Dir, "stderr")
	stderr, err := os.Create(printed)
	must(t, err)
	defer stderr.Close()
	h.Stderr = stderr
	must(t, h.Start())
	select {
	case <-held:
	case <-time.After(testTimeout):
		t.Fatalf("nothing is imported: %s", readPage(t, printed))
	}
	return h, open, printed
}

type interruption struct {
	tell func(*exec.Cmd) error
	exit int
}

// Ctrl-C once, or any other signal, finishes requests in progress and prints how to
// resume.
func TestAnInterruptedImportGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	for name, c := range interruptions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newProcessFixture(t)
			file := w.WriteRows(0, 1000)
			command, open, stderr := startHeld(t, w, file)
			must(t, c.tell(command))
			eventually(t, "the notice of the signal", func() bool { return strings.Contains(readPage(t, stderr), "finishing what is under way") })
			open()
			_ = command.Wait()
			printed := readPage(t, stderr)
			if code := command.ProcessState.ExitCode(); code != c.exit || !strings.Contains(printed, "ativa imports resume") {
				t.Fatalf("exit %d, want %d, and how to go on:\n%s", code, c.exit, printed)
			}
			id, state, _ := strings.Cut(strings.TrimSpace(string(w.Must("imports", "list", "--columns", "id,state,unanswered", "--no-header"))), "\t")
			if state != "interrupted\t0" {
				t.Errorf("got %q, want an interrupted one with nothing unanswered", state)
			}
			w.Must("imports", "resume", id, "--quiet")
			w.CheckReport(file, 1000)
		})
	}
}

func TestInterruptedTwiceItStopsAtOnce(t *testing.T) {
	t.Parallel()
	w := newProcessFixture(t)
	command, _, _ := startHeld(t, w, w.WriteRows(0, 2000)) // without any response
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }()
	giveUp := time.After(testTimeout)
	for on := true; on; { // repeat until a busy machine has handled the first
		_ = interruptions["Ctrl-C"].tell(command)
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

// An interruption is not reported as a database error.
func TestAnInterruptedCommandOfTheOperatorSaysSo(t *testing.T) {
	t.Parallel()
	db := "sqlite:" + filepath.Join(t.TempDir(), "ativa.db")
	newUser(t, nil).must("admin", "providers", "create", "Verde", "--limit", "1", "--db", db)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errInterrupted)
	for _, line := range []string{"check", "backup BESIDE", "copy --from " + db + " --to sqlite:BESIDE", "migrate", "providers create Azul --limit 5"} {
		line = strings.ReplaceAll("admin "+line+" --db "+db, "BESIDE", filepath.Join(t.TempDir(), "copy.db"))
		wantInterrupted(ctx, t, strings.NewReader(""), line)
	}
}
