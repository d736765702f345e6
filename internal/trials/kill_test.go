package trials_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ativa/internal/cli"
	"ativa/internal/processtest"
	"ativa/internal/service/store/pgtest"
)

// killsPerRound is the number of kills of one database: a growing one starts more slowly, and each
// round ends with all checks.
const killsPerRound = 500

// TestAnImportIsExactWhateverIsKilled kills the command line and the server in turns with SIGKILL
// during an import, which is then run again, and during registrations, activations,
// confirmations, changes, cancellations, deletions, reads of the feed and pushes. Afterwards
// everything acknowledged exists exactly once. ATIVA_KILLS is the number of kills (10),
// ATIVA_KILL_ROWS the rows of a file (300), and ATIVA_KILL_FOR (such as 45m) the time after
// which, as after SIGTERM, no more kills follow.
func TestAnImportIsExactWhateverIsKilled(t *testing.T) {
	t.Parallel()
	kills, rows := processtest.FromEnv(t, "ATIVA_KILLS", 10), processtest.FromEnv(t, "ATIVA_KILL_ROWS", 300)
	limit, err := time.ParseDuration(cmp.Or(os.Getenv("ATIVA_KILL_FOR"), "100h"))
	must(t, err)
	ctx, stop := context.WithTimeout(t.Context(), limit)
	defer stop()
	ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	var total killFigures
	for total.kills < kills && ctx.Err() == nil && !t.Failed() {
		killRound(ctx, t, &total, min(kills-total.kills, killsPerRound), rows)
		t.Log(total)
	}
}

// killRound tests one database with some kills, and adds its figures to the total.
func killRound(ctx context.Context, t *testing.T, total *killFigures, kills, rows int) {
	r := newTrial(t, pgtest.DSN(t))
	r.w.Start()
	r.begin(&imports{rows: rows, retried: []int{cli.ExitUnavailable}})
	n := 0
	for ; n < kills && ctx.Err() == nil && !t.Failed(); n++ {
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) // kills come at random times
		if n%2 == 0 {
			r.imports.kill()
			continue
		}
		r.w.Kill()
		r.w.ExpireLeases()
		r.w.Start()
	}
	total.rows += r.end(n/2, func() {})
	r.w.Must("admin", "check", "--quiet")
	l := r.ledger
	total.kills, total.calls = total.kills+n, total.calls+int(l.calls.Load())
	total.confirmed, total.events, total.repeats = total.confirmed+int(l.confirmed.Load()), total.events+len(l.pulled), total.repeats+l.repeats
	r.w.Kill()
}

// killFigures are the results of a test of kills.
type killFigures struct {
	kills, rows, calls, confirmed, events, repeats int
}

func (f killFigures) String() string {
	return fmt.Sprintf("%d kills of servers and commands: %d rows, %d single calls and %d confirmations acknowledged, %d events pulled and pushed, %d deliveries repeated",
		f.kills, f.rows, f.calls, f.confirmed, f.events, f.repeats)
}

// imports is the command line importing one file after another, each repeated until it succeeds.
type imports struct {
	w       *fixture
	ledger  *ledger
	rows    int             // of each file
	retried []int           // exits after which an import is run again, besides that of a kill
	over    context.Context // its end makes the current file the last
	end     context.CancelFunc
	loop    sync.WaitGroup
	files   int
	running atomic.Pointer[os.Process]
}

func (m *imports) start() {
	m.over, m.end = context.WithCancel(m.w.Context())
	m.loop.Go(func() {
		for again := true; again; m.files++ {
			again = m.importFile(m.files*m.rows) && m.over.Err() == nil
		}
	})
}

// importFile imports a file and enters its rows in the ledger. It reports whether it succeeded.
func (m *imports) importFile(first int) bool {
	file, _ := m.ledger.writeRows(m.w, first, m.rows, "1,3", "1", "1")
	for {
		args := []string{"subscribers", "import", file, "--batch-size", "10", "--concurrency", "4", "--quiet", "-o", "json"}
		if m.over.Err() == nil {
			args = append(args, "--rate", "50")
		}
		c := m.w.Command(args...)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		err := c.Start()
		if m.running.Store(c.Process); err == nil {
			err = c.Wait()
		}
		exit, failed := errors.AsType[*exec.ExitError](err)
		switch {
		case err == nil:
			m.checkSummary(out.Bytes())
			m.w.CheckReport(file, m.rows)
			return true
		case !failed || exit.ExitCode() != -1 && !slices.Contains(m.retried, exit.ExitCode()):
			m.w.Errorf("the import: %v: %s", err, &out)
			return false
		}
	}
}

// kill kills the command line.
func (m *imports) kill() {
	if running := m.running.Load(); running != nil {
		_ = running.Kill()
	}
}

// stop lets the current file finish and returns the number of imported rows.
func (m *imports) stop() int {
	m.end()
	m.kill() // it continues without a rate
	m.loop.Wait()
	return m.files * m.rows
}

// checkSummary checks that each row has a result.
func (m *imports) checkSummary(out []byte) {
	var s struct{ Import struct{ Created int } }
	if err := json.Unmarshal(out, &s); err != nil || s.Import.Created != m.rows {
		m.w.Errorf("the summary is %s, want %d rows created: a repetition gets the answer of the first time: %v", out, m.rows, err)
	}
}

// checkList checks that the list has exactly the subscribers of the ledger that are not deleted, with
// their services.
func (w *fixture) checkList(l *ledger) {
	w.Helper()
	want := map[string]string{}
	for _, s := range l.byEmail {
		services := map[string]string{} // status by product
		for _, e := range s.events {
			if product, status, ok := strings.Cut(e, " "); ok {
				services[product] = status
			}
		}
		if services["2"] != "" {
			delete(services, "1") // it was changed
		}
		if s.events[len(s.events)-1] != "deleted" {
			want[s.document] = fmt.Sprint(services)
		}
	}
	got := map[string]string{}
	for line := range strings.Lines(string(w.Must("subscribers", "list", "-o", "jsonl"))) {
		var s struct {
			Document string
			Services []struct {
				Status  string
				Product int `json:"content_supplier_product_id"`
			}
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			w.Fatalf("%v: %s", err, line)
		}
		services := map[int]string{}
		for _, v := range s.Services {
			services[v.Product] += v.Status
		}
		got[s.Document] += fmt.Sprint(services) // one that is listed twice differs
	}
	if !maps.Equal(got, want) {
		w.Errorf("%d subscribers are listed, want the %d of the ledger with their services", len(got), len(want))
	}
}
