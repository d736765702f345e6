package cmd

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/store/pgtest"
)

// feedReceiver stores the events of messages that it has not seen, as
// docs/api-guide.md tells receivers to.
type feedReceiver struct {
	t        *testing.T
	mu       sync.Mutex
	messages int
	bodies   map[string]string // by webhook-id
	events   []string
}

func (r *feedReceiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the server was killed while it sent
	}
	n := r.store(req.Header.Get("webhook-id"), string(body))
	time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // so that kills come while an answer is awaited
	switch {
	case n == 12:
		w.WriteHeader(http.StatusInternalServerError) // although it has stored everything
	case n%5 == 4:
		w.Header().Set("Content-Length", "100")
		panic(http.ErrAbortHandler) // 2xx, and closes before the end
	}
}

// store keeps a message and returns how many came before.
func (r *feedReceiver) store(id, body string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.messages
	r.messages++
	if before, again := r.bodies[id]; again {
		if before != body {
			r.t.Errorf("%s came again with another body", id)
		}
		return n
	}
	var m struct {
		Data struct{ Events []struct{ ID string } }
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		r.t.Errorf("%v: %.200s", err, body)
	}
	for _, e := range m.Data.Events {
		r.events = append(r.events, e.ID)
	}
	r.bodies[id] = body
	return n
}

func (r *feedReceiver) got() (events []string, messages, batches int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events), r.messages, len(r.bodies)
}

// TestTheFeedIsPushedOnceWhateverIsKilled kills the server with SIGKILL again and
// again while an import goes on and its events are pushed: every event arrives,
// in order, and once for who tells repetitions by their webhook-id. ATIVA_KILLS is
// how often (10), ATIVA_KILL_ROWS how many rows the file has (1,000).
func TestTheFeedIsPushedOnceWhateverIsKilled(t *testing.T) {
	t.Parallel()
	kills, rows := fromEnv(t, "ATIVA_KILLS", 10), fromEnv(t, "ATIVA_KILL_ROWS", 1000)
	r := &feedReceiver{t: t, bodies: map[string]string{}}
	receiver := httptest.NewServer(r)
	defer receiver.Close()
	w := newProcessFixture(t)
	w.run("admin", "callbacks", "set", "Azul", receiver.URL, "--feed", "--allow-private", "--quiet")
	w.start()
	file, rate := w.writeRows(rows), strconv.Itoa(max(rows*6/5/kills, 50)) // nearly a second for each kill
	done := make(chan error)
	go func() {
		for {
			err := w.command("subscribers", "import", file, "--batch-size", "10", "--concurrency", "2", "--rate", rate, "--quiet").Run()
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != cli.ExitUnavailable {
				done <- err
				return
			}
		}
	}()
	for range kills {
		time.Sleep(time.Duration(100+rand.IntN(500)) * time.Millisecond) // a kill comes when it comes
		_ = w.server.Process.Kill()
		_ = w.server.Wait()
		w.expireFeedLeases()
		w.start()
	}
	if err := <-done; err != nil {
		t.Fatalf("the import: %v", err)
	}
	want := w.pulledEvents()
	for deadline := time.Now().Add(testTimeout); ; time.Sleep(100 * time.Millisecond) {
		if got, _, _ := r.got(); len(got) >= len(want) || time.Now().After(deadline) {
			break
		}
	}
	got, messages, batches := r.got()
	t.Logf("%d kills, %d rows, %d events in %d messages of %d batches", kills, rows, len(got), messages, batches)
	if !slices.Equal(got, want) {
		t.Errorf("got %d events, want the %d of the feed, each once and in order", len(got), len(want))
	}
	if messages > batches+kills+1+messages/5+1 {
		t.Errorf("got %d messages of %d batches in %d kills", messages, batches, kills)
	}
}

// pulledEvents are the ids of the whole feed.
func (w *processFixture) pulledEvents() (ids []string) {
	w.Helper()
	for line := range strings.Lines(string(w.run("events", "-o", "jsonl"))) {
		var e struct{ ID string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.Fatalf("%v: %s", err, line)
		}
		ids = append(ids, e.ID)
	}
	return ids
}

// expireFeedLeases lets the 45 seconds pass after which the batch of a killed server
// is another's. SQLite's next server need not wait for it.
func (w *processFixture) expireFeedLeases() {
	w.Helper()
	if strings.HasPrefix(w.dsn, "postgres:") {
		pgtest.Exec(w, w.dsn, `UPDATE feed_callback SET leased_until = 0`)
	}
}
