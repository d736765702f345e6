//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// works is what can be measured, in order. read, suspend and usage use the database of the import.
var works = []struct { //nolint:gochecknoglobals // a constant
	name    string
	measure func(*site, context.Context)
}{
	{"start", (*site).measureStart},
	{"import", (*site).measureImport},
	{"read", (*site).measureReads},
	{"suspend", (*site).measureSuspension},
	{"usage", (*site).measureUsage},
	{"idle", (*site).measureIdle},
	{"fairness", (*site).measureFairness},
	{"outage", (*site).measureOutage},
	{"sync", (*site).measureSync},
}

// measureStart measures commands that only start, compared with a bare program of the same command
// library.
func (s *site) measureStart(ctx context.Context) {
	for range 10 {
		for work, args := range map[string][]string{
			"start: version":            {"version"},
			"start: help in Portuguese": {"help", "--lang", "pt"},
			"start: completion":         {"__complete", "provision", "suspend", "--product", ""},
		} {
			_, floor := s.bare.run(ctx, nil, "version")
			_, program := s.program.run(ctx, nil, args...)
			s.add(work+", processor time", seconds, aim{share: 0.40}, floor.cpu, program.cpu)
		}
	}
	s.add("binary", bytes, aim{most: 35e6}, 0, float64(must(os.Stat(string(s.program))).Size()))
}

// measureImport measures the import of the spreadsheet, and leaves a full database.
func (s *site) measureImport(ctx context.Context) {
	s.enter(ctx, manual)
	took := s.importAll(ctx, s.people)
	peak := 1024 * s.proc("status", "VmHWM")
	s.add("import", seconds, aim{share: 0.45}, s.importFloor(ctx, s.dsn, s.people.csv), took.wall)
	s.add("import: memory of the server", bytes, aim{most: 250e6}, 0, peak)
}

func (s *site) loaded(ctx context.Context) {
	if s.dsn == "" {
		s.enter(ctx, manual)
		s.importAll(ctx, s.people)
	}
}

const clients = 16 // concurrent clients

// measureReads measures the plain list, the last page, searches of all kinds,
// and many clients that each read or register one subscriber a call.
func (s *site) measureReads(ctx context.Context) {
	s.loaded(ctx)
	s.add("plain list", seconds, aim{share: 0.90}, s.timed(ctx, s.list()), s.get(ctx, "/subscribers"))
	s.add("page of 500, the last", seconds, aim{most: 0.010}, 0, s.get(ctx, fmt.Sprintf("/subscribers?paginate=S&page=%d", (s.people.rows+499)/500)))
	var floors, program []float64
	for range 10 {
		for _, term := range []string{"Silva", "Souza", "zz", "silva12", "@example", "98765", "qwxk", s.people.documents[0]} {
			began := time.Now()
			client(ctx, "", "sh", "-c", `grep -cF -- "$0" "$1" || [ $? = 1 ]`, term, s.people.csv)
			floors = append(floors, time.Since(began).Seconds())
			program = append(program, s.get(ctx, "/subscribers/search/"+url.PathEscape(term)+"?paginate=S"))
		}
	}
	s.add("search as one types, 95 % below", seconds, aim{share: 1, most: 0.150}, quantile(floors, 95), quantile(program, 95))
	documents := s.people.documents
	s.atOnce("reads a second, 16 clients", 6000, func(n int) error {
		_, err := s.call(ctx, http.MethodGet, s.bearer, "/subscribers/"+documents[n*7919%len(documents)], "")
		return err
	})
	s.atOnce("registrations a second, 16 clients", 1900, func(int) error {
		_, err := s.register(ctx, s.bearer, s.people.another())
		return err
	})
}

// atOnce measures how often clients make a call in two seconds.
func (s *site) atOnce(work string, least float64, call func(n int) error) {
	began := time.Now()
	var made atomic.Int64
	errs := make([]error, clients)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for errs[c] == nil && time.Since(began) < 2*time.Second {
				errs[c] = call(int(made.Add(1)))
			}
		})
	}
	all.Wait()
	check(errors.Join(errs...))
	s.add(work, number, aim{least: least}, 0, float64(made.Load())/time.Since(began).Seconds())
}

// activate makes services active without the program, because activations wait for a click in an
// e-mail.
const activate = `UPDATE service SET status_id = 1 WHERE status_id IN (10, 14);`

// measureSuspension suspends a list of documents. The floor changes the same
// services in one statement; the program also writes operations, history and
// partner jobs.
func (s *site) measureSuspension(ctx context.Context) {
	s.loaded(ctx)
	list := filepath.Join(s.dir, "documents.csv")
	check(os.WriteFile(list, []byte(strings.Join(s.people.documents, "\n")+"\n"), 0o600))
	s.timed(ctx, activate)
	floor := s.timed(ctx, `UPDATE service SET status_id = 14, updated_at = updated_at + 1
		WHERE product_id = 1 AND id / 4096 IN (SELECT id FROM subscriber WHERE document IN (`+strings.Join(s.people.documents, ",")+`));`)
	s.timed(ctx, activate)
	took := s.command(ctx, s.url, "provision", "suspend", "--product", "1", "--file", list)
	s.add("suspend a list", seconds, aim{}, floor, took.wall)
}

// pastYear writes when every service was enabled in the year before now: it was
// activated, suspended and reactivated, each in about a third of the year.
const pastYear = `WITH ranked AS (
	SELECT v.id, v.product_id, ROW_NUMBER() OVER (ORDER BY (v.id / 4096 * 7919) % 1000003, v.id) AS n, COUNT(*) OVER () AS of,
		8796093022208 * (v.id / 8796093022208) + p.last_event AS event, p.created_at - 365 * 86400000000 AS at
	FROM service v JOIN provider p ON p.id = v.id / 8796093022208
), paced AS (SELECT *, 365 * 86400000000 / (3 * of) AS pace FROM ranked)
INSERT INTO enabled_interval (service_id, begin_event, product_id, begin_at, end_event, end_at)
SELECT id, event + n, product_id, at + n * pace, event + of + n, at + (of + n) * pace FROM paced
UNION ALL
SELECT id, event + 2 * of + n, product_id, at + (2 * of + n) * pace, NULL, NULL FROM paced;
UPDATE provider SET last_event = last_event + (SELECT COUNT(*) FROM service) * 3;`

// measureUsage measures the report of the past year and of the month before last.
func (s *site) measureUsage(ctx context.Context) {
	s.loaded(ctx)
	s.halt()
	s.timed(ctx, pastYear)
	s.serve(ctx)
	day := func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	share := 1.3 * float64(s.people.rows) / 200_000
	s.add("usage of a month, 200,000 services", seconds, aim{most: 1}, 0, s.get(ctx, "/reports/usage?from="+day(60)+"&to="+day(30))/share)
	s.add("usage of a year, 200,000 services", seconds, aim{most: 1}, 0, s.get(ctx, "/reports/usage?from="+day(365)+"&to="+day(0))/share)
}

// toFiles are the flags of a server that sends its e-mails.
func (s *site) toFiles() []string { return []string{"--mail-dir", filepath.Join(s.dir, "mail")} }

// measureIdle measures a full server without requests.
func (s *site) measureIdle(ctx context.Context) {
	s.enter(ctx, manual, s.toFiles()...)
	s.importAll(ctx, s.generate(min(100_000, s.people.rows), "Ocioso", ""))
	cpu, bytesWritten, _ := s.over(ctx)
	s.add("idle server: share of a core", percent, aim{most: 0.002}, 0, cpu)
	s.add("idle server: bytes written a second", bytes, aim{most: 1}, 0, bytesWritten)
}

// over returns the server's share of a core, and the bytes and rows written per second, once it
// has settled. It measures for a minute, or for less with fewer rows.
func (s *site) over(ctx context.Context) (cpu, bytes, rows float64) {
	during := min(time.Minute, time.Duration(s.people.rows)*time.Millisecond)
	wait(ctx, during/3)
	cpu, bytes, rows = s.cpu(), s.proc("io", "write_bytes"), s.written(ctx, s.dsn)
	wait(ctx, during)
	n := during.Seconds()
	return (s.cpu() - cpu) / n, (s.proc("io", "write_bytes") - bytes) / n, (s.written(ctx, s.dsn) - rows) / n
}

// measureFairness measures how an import and other work slow each other down: small writes of the
// same provider and of another during an import, then e-mails.
func (s *site) measureFairness(ctx context.Context) {
	s.enter(ctx, manual)
	alone := s.importAll(ctx, s.people).wall
	s.enter(ctx, manual)
	other := s.signIn(ctx, s.provider(ctx, "Outro"))
	during, cancel := context.WithCancel(ctx)
	defer cancel()
	took := map[string][]float64{}
	var calls sync.WaitGroup
	calls.Go(func() {
		for n := 0; during.Err() == nil; n++ {
			bearer := []string{s.bearer, other}[n%2]
			if d, err := s.register(ctx, bearer, s.people.another()); err == nil {
				took[bearer] = append(took[bearer], d)
			}
			wait(during, 10*time.Millisecond)
		}
	})
	beside := s.importAll(ctx, s.people).wall
	cancel()
	calls.Wait()
	s.add("small write beside an import of the same provider, 99 % below", seconds, aim{most: 0.050}, 0, quantile(took[s.bearer], 99))
	s.add("small write beside an import of another provider, 99 % below", seconds, aim{most: 0.050}, 0, quantile(took[other], 99))
	s.add("import beside small writes (floor: alone)", seconds, aim{share: 0.90}, alone, beside)
	s.enter(ctx, manual, s.toFiles()...)
	s.add("import while e-mails go out (floor: alone)", seconds, aim{share: 0.90}, alone, s.importAll(ctx, s.people).wall)
}

// measureOutage measures a partner that responds 503 to everything while 4,000 requests wait for
// it, and meanwhile the callbacks to a provider.
func (s *site) measureOutage(ctx context.Context) {
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer down.Close()
	called := make(chan struct{}, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called <- struct{}{} }))
	defer receiver.Close()
	people := s.generate(min(4000, s.people.rows), "Fora", ",products_ids")
	s.enter(ctx, []string{"--driver", "http", "--url", down.URL}, s.toFiles()...)
	s.importAll(ctx, people)
	s.timed(ctx, activate)
	other := s.signIn(ctx, s.provider(ctx, "Outro"))
	s.admin(ctx, "callbacks", "set", "Outro", receiver.URL, "--allow-private", "--feed")
	callback := func() float64 {
		began := time.Now()
		must(s.register(ctx, other, people.another()))
		select {
		case <-called:
		case <-time.After(time.Minute):
			check(errors.New("no callback came within a minute"))
		}
		return time.Since(began).Seconds()
	}
	before := callback()
	s.command(ctx, s.url, "provision", "suspend", "--product", "1", "--file", people.csv)
	cpu, bytesWritten, rows := s.over(ctx)
	if s.name() == "PostgreSQL" {
		s.add("partner down, 4,000 wait: row writes a minute", number, aim{most: 100}, 0, 60*rows)
	} else {
		s.add("partner down, 4,000 wait: bytes written a minute", bytes, aim{}, 0, 60*bytesWritten)
	}
	s.add("partner down, 4,000 wait: share of a core", percent, aim{most: 0.01}, 0, cpu)
	s.add("partner down, 4,000 wait: callback of another (floor: before)", seconds, aim{}, before, callback())
}

// measureSync measures a spreadsheet that changes the plan of everybody, over a
// link on which each request takes 50 ms longer.
func (s *site) measureSync(ctx context.Context) {
	rows := min(20_000, s.people.rows)
	people, changed := s.generate(rows, "Lento", ""), s.generate(rows, "Turbo", "")
	s.enter(ctx, manual)
	s.importAll(ctx, people)
	proxy := httputil.NewSingleHostReverseProxy(must(url.Parse(s.url)))
	link := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait(r.Context(), 50*time.Millisecond)
		proxy.ServeHTTP(w, r)
	}))
	defer link.Close()
	took := s.command(ctx, link.URL, "sync", changed.csv)
	s.add("sync of 20,000 changes over a link of 50 ms", seconds, aim{most: 60}, 0, took.wall*20_000/float64(rows))
}
