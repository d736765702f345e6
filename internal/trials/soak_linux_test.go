package trials_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ativa/internal/processtest"
	"ativa/internal/service/domain"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgcluster"
	"ativa/internal/service/store/pgtest"
)

// TestNothingGrowsUnderLoad runs the service for a time (ATIVA_SOAK, such as 1h) under the maximum
// load of every kind, with a constant number of subscribers: its memory, files, goroutines,
// write-ahead log and tables must not be larger at the end than after a third of the time.
// SIGTERM ends it early, with its figures.
func TestNothingGrowsUnderLoad(t *testing.T) {
	if os.Getenv("ATIVA_SOAK") == "" {
		t.Skip("set ATIVA_SOAK to a duration")
	}
	d, err := time.ParseDuration(os.Getenv("ATIVA_SOAK"))
	must(t, err)
	r := newTrial(t, soakDSN(t))
	w, l := r.w, r.ledger
	r.peers.feed.steady = true
	w.Deliver = append(w.Deliver, "--smtp-connections", "8")
	w.Start()
	token := r.follow()

	const standing = 2000
	file, _ := l.writeRows(w, 0, standing, "1")
	w.Must("subscribers", "import", file, "--quiet")
	l.allSettled()
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	calls := startLoad(&load{ledger: l, server: r.peers.server, token: token, steady: true, imported: make(chan *subscriber)}, soakCallers)
	r.readers.Go(func() { w.importSteadily(ctx, calls, standing) })
	r.readers.Go(func() { w.readSteadily(ctx, calls) })
	r.readers.Go(func() { w.retainBriefly(ctx) })
	s := &sampler{w: w, calls: calls}
	s.run(ctx)
	calls.stop()
	calls.callers.Wait()
	for _, g := range s.gauges {
		t.Log(g)
		if _, _, grew := g.growth(); grew {
			t.Errorf("%s grew", g.name)
		}
	}
	r.finish()
	t.Logf("%d single calls and %d confirmations acknowledged, %d subscribers came and went, %d events pulled and pushed, %d requests repeated",
		l.calls.Load(), l.confirmed.Load(), l.removed, len(l.pulled), l.retries.Load())
	w.Must("admin", "check", "--quiet")
}

// soakCallers keep two processors busy: each mostly waits for e-mails, partner and feed.
const soakCallers = 256

// soakDSN returns a database of the engine under test; PostgreSQL has its default settings except
// fsync, so that it vacuums as in production.
func soakDSN(t *testing.T) string {
	if os.Getenv(pgtest.Engine) != "postgres" {
		return pgtest.DSN(t)
	}
	c, err := pgcluster.Start("fsync=off")
	must(t, err)
	t.Cleanup(func() { _ = c.Kill() })
	must(t, c.Run(t.Context(), "postgres", `CREATE DATABASE ativa`))
	return c.URL("ativa")
}

// importSteadily imports files and hands their rows to the callers, who cancel and delete them.
func (w *fixture) importSteadily(ctx context.Context, calls *load, first int) {
	const rows = 100
	for ; ctx.Err() == nil; first += rows {
		file, entered := calls.writeRows(w, first, rows, "1")
		out, err := w.Command("subscribers", "import", file, "--quiet").CombinedOutput()
		if err != nil {
			w.Errorf("the import: %v: %s", err, out)
			return
		}
		for _, s := range entered {
			select {
			case calls.imported <- s:
			case <-ctx.Done():
				return
			}
		}
	}
}

// readSteadily makes the requests of readers: pages, lists, searches, single subscribers.
func (w *fixture) readSteadily(ctx context.Context, calls *load) {
	today := time.Now().UTC().Format(time.DateOnly)
	paths := []string{"/subscribers?paginate=S&page=2", "/subscribers", "/subscribers/search/pessoa%2012", "/subscribers/" + processtest.Document(7),
		"/subscribers/" + processtest.Document(8) + "/history", "/subscribers/" + processtest.Document(9) + "/deliveries", "/products", "/products/status",
		"/reports/usage?from=" + today + "&to=" + today}
	for i := 0; ctx.Err() == nil; i++ {
		status, text := calls.get(ctx, calls.server+paths[i%len(paths)], calls.token)
		if status != http.StatusOK && ctx.Err() == nil {
			w.Errorf("%s was answered with %d: %.200s", paths[i%len(paths)], status, text)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// retainBriefly deletes data older than a minute, and unused links after five, as the service does
// once an hour with data older than some days.
func (w *fixture) retainBriefly(ctx context.Context) {
	const kept, links = time.Minute, 5 * time.Minute
	db, err := store.Open(ctx, w.DSN, store.Options{})
	if err != nil {
		w.Error(err)
		return
	}
	defer db.Close()
	for ctx.Err() == nil {
		now := time.Now()
		old := now.Add(-kept)
		err := db.Purge(domain.WithBulk(ctx), domain.RetentionCutoffs{
			Responses: old, Deliveries: old, PartnerEvents: old, Events: old, Links: now.Add(domain.LinkLifetime - links)})
		if err != nil && ctx.Err() == nil {
			w.Errorf("retention: %v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
		}
	}
}

// busyTime is how long PostgreSQL keeps the space of a row: a minute until it is deleted, and more than
// a minute until its table is vacuumed.
const busyTime = 3 * time.Minute

// sampler samples a server and its database every few seconds.
type sampler struct {
	w       *fixture
	calls   *load
	gauges  []*gauge
	counts  []float64 // calls acknowledged by the time of each sample
	busiest float64   // the most calls of busyTime so far
}

func (s *sampler) run(ctx context.Context) {
	deadline, _ := ctx.Deadline()
	every := min(max(time.Until(deadline)/600, time.Second), 5*time.Second)
	for tick := time.NewTicker(every); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.counts = append(s.counts, float64(s.calls.calls.Load()))
		last := len(s.counts) - 1
		s.busiest = max(s.busiest, s.counts[last]-s.counts[max(0, last-int(busyTime/every))])
		s.process()
		if strings.HasPrefix(s.w.DSN, "postgres:") {
			s.tables()
		} else {
			s.files()
		}
		if s.w.Failed() {
			return
		}
	}
}

// note adds a value to its gauge, which it returns.
func (s *sampler) note(name, unit string, floor, value float64) *gauge {
	i := slices.IndexFunc(s.gauges, func(g *gauge) bool { return g.name == name })
	if i < 0 {
		i = len(s.gauges)
		s.gauges = append(s.gauges, &gauge{name: name, unit: unit, floor: floor})
	}
	s.gauges[i].values = append(s.gauges[i].values, value)
	return s.gauges[i]
}

// noteBusy notes what the busiest time decides: how much is kept, and waits for a vacuum.
func (s *sampler) noteBusy(name, unit string, floor, value float64) {
	g := s.note(name, unit, floor, value)
	g.loads = append(g.loads, s.busiest)
}

const mib = 1 << 20

// process samples the server by its metrics and its open files.
func (s *sampler) process() {
	status, text := s.calls.get(s.w.Context(), s.calls.server+"/metrics", s.calls.token)
	if status != http.StatusOK {
		s.w.Errorf("the metrics were answered with %d: %.200s", status, text)
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.w.Server.Process.Pid))
	must(s.w, err)
	s.note("open files", "", 3*soakCallers/2, float64(len(open))) // a connection for each caller, and those of the service
	for line := range bytes.Lines(text) {
		name, number, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		value, _ := strconv.ParseFloat(number, 64)
		switch name {
		case "process_resident_memory_bytes":
			s.note("memory", "MiB", 0, value/mib)
		case "go_goroutines":
			s.note("goroutines", "", 3*soakCallers, value) // two for each connection, more for deliveries
		case "go_memstats_heap_inuse_bytes":
			s.note("heap", "MiB", 16, value/mib)
		}
	}
}

// files samples SQLite's files. Services and their operations stay for good, so only they make the
// file grow. The log is copied when it has 40 MB.
func (s *sampler) files() {
	path := strings.TrimPrefix(s.w.DSN, "sqlite:")
	file, err := os.Stat(path)
	must(s.w, err)
	log, err := os.Stat(path + "-wal")
	must(s.w, err)
	s.note("database, each row that stays", "bytes", 0, float64(file.Size())/(s.services()+float64(s.calls.operations.Load())))
	s.note("write-ahead log", "MiB", 80, float64(log.Size())/mib) // it is copied from 40 on, and begins again when no reader uses it
}

// services returns the number of services ever created: their history outlives the subscriber.
func (s *sampler) services() float64 {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	return float64(s.calls.removed + len(s.calls.byEmail))
}

// tables samples PostgreSQL's tables. Services, their operations and the times in which they were
// enabled stay for good, as the pseudonymous history of deleted subscribers; everything else must not grow.
func (s *sampler) tables() {
	const tables = `SELECT relname || ' ' || pg_total_relation_size(relid) || ' ' || n_dead_tup FROM pg_stat_user_tables ORDER BY relname`
	for _, table := range pgtest.Column(s.w, s.w.DSN, tables) {
		var name string
		var size, dead, rows float64
		_, err := fmt.Sscan(table, &name, &size, &dead)
		must(s.w, err)
		switch name {
		case "service", "enabled_interval":
			rows = s.services()
		case "operation":
			rows = float64(s.calls.operations.Load())
		default:
			s.noteBusy(name, "MiB", 8, size/mib)
			s.noteBusy(name+", dead rows", "", 20_000, dead)
			continue
		}
		s.note(name+", each", "bytes", 0, size/rows)
		s.note(name+", dead rows", "%", 25, 100*dead/rows) // autovacuum starts at 20
	}
}
