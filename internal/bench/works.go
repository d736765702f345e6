//go:build linux

package main

import (
	"context"
	_ "embed"
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

	"golang.org/x/sync/errgroup"
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

// measureStart measures commands that only start, against a bare program with the same library.
func (s *site) measureStart(ctx context.Context) {
	cpu := func(program string, args ...string) float64 {
		cmd := s.command(ctx, program, args...)
		run(cmd)
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	for range 10 {
		for work, args := range map[string][]string{
			"start: version":    {"version"},
			"start: help":       {"help"},
			"start: completion": {"__complete", "provision", "suspend", "--product", ""},
		} {
			s.add(work+", processor time", seconds, aim{share: 0.40}, cpu(s.bare, "version"), cpu(s.program, args...))
		}
		s.add("start: help in Portuguese, processor time", seconds, aim{}, cpu(s.bare, "version"), cpu(s.program, "help", "--lang", "pt"))
	}
	s.add("binary", megabytes, aim{most: 35e6}, 0, float64(must(os.Stat(s.program)).Size()))
}

// measureImport measures the import of the spreadsheet and leaves a full database.
func (s *site) measureImport(ctx context.Context) {
	s.enter(ctx, manual)
	took := s.importAll(ctx, s.people)
	peak := 1024 * s.counter("status", "VmHWM")
	s.add("import", seconds, aim{share: 0.45}, s.importFloor(ctx, s.people.csv), took)
	s.add("import: memory of the server", megabytes, aim{most: 250e6}, 0, peak)
}

// loaded imports the spreadsheet unless it is imported already.
func (s *site) loaded(ctx context.Context) {
	if s.server == nil {
		s.measureImport(ctx)
	}
}

// measureReads measures the plain list, the last page, searches of all kinds,
// and many clients that each read or register one subscriber a call.
func (s *site) measureReads(ctx context.Context) {
	s.loaded(ctx)
	s.add("plain list", seconds, aim{share: 0.90}, timed(func() { s.script(ctx, s.list()) }), s.get(ctx, "/subscribers"))
	s.add("page of 500, the last", seconds, aim{most: 0.010}, 0, s.get(ctx, fmt.Sprintf("/subscribers?paginate=S&page=%d", (s.people.rows+499)/500)))
	var floors, program []float64
	for range 10 {
		for _, term := range []string{"Silva", "Souza", "zz", "silva12", "@example", "98765", "qwxk", s.people.documents[0]} {
			floors = append(floors, timed(func() { shell(ctx, "", "sh", "-c", `grep -cF -- "$0" "$1" || [ $? = 1 ]`, term, s.people.csv) }))
			program = append(program, s.get(ctx, "/subscribers/search/"+url.PathEscape(term)+"?paginate=S"))
		}
	}
	most := 0.010
	if s.people.rows > 200_000 {
		most = 0.150
	}
	s.add("search as one types, 95 % below", seconds, aim{most: most}, quantile(floors, 95), quantile(program, 95))
	documents := s.people.documents
	s.atOnce("reads a second, 16 clients", 6000, func(n int) error {
		return s.call(ctx, http.MethodGet, s.bearer, "/subscribers/"+documents[n*7919%len(documents)], "")
	})
	s.atOnce("registrations a second, 16 clients", 1900, func(int) error { return s.register(ctx, s.bearer, s.people.another()) })
}

// atOnce measures how many calls 16 clients make in two seconds.
func (s *site) atOnce(work string, least float64, call func(n int) error) {
	began := time.Now()
	var made atomic.Int64
	var all errgroup.Group
	for range 16 {
		all.Go(func() (err error) {
			for err == nil && time.Since(began) < 2*time.Second {
				err = call(int(made.Add(1)))
			}
			return err
		})
	}
	check(all.Wait())
	s.add(work, number, aim{least: least}, 0, float64(made.Load())/time.Since(began).Seconds())
}

// activate makes services active without the program: activations wait for a click in an e-mail.
const activate = `UPDATE service SET status_id = 1 WHERE status_id IN (10, 14);`

// measureSuspension suspends a list of documents. The floor changes the same services in one
// statement; the program also writes operations, history and partner requests.
func (s *site) measureSuspension(ctx context.Context) {
	s.loaded(ctx)
	list := filepath.Join(s.dir, "documents.csv")
	check(os.WriteFile(list, []byte(strings.Join(s.people.documents, "\n")+"\n"), 0o600))
	s.script(ctx, activate)
	floor := timed(func() {
		s.script(ctx, `UPDATE service SET status_id = 14, updated_at = updated_at + 1
			WHERE product_id = 1 AND id / 4096 IN (SELECT id FROM subscriber WHERE document IN (`+strings.Join(s.people.documents, ",")+`));`)
	})
	s.script(ctx, activate)
	s.add("suspend a list", seconds, aim{}, floor, s.bulk(ctx, "provision", "suspend", "--product", "1", "--file", list))
}

//go:embed past_year.sql
var pastYear string

// measureUsage measures the report of the month before last.
func (s *site) measureUsage(ctx context.Context) {
	s.loaded(ctx)
	s.halt()
	s.script(ctx, pastYear)
	if e, is := s.engine.(postgres); is {
		e.script(ctx, "VACUUM ANALYZE enabled_interval") // autovacuum does it in the course of a year
	}
	s.serve(ctx)
	day := func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	million := 1e6 / (1.3 * float64(s.people.rows))
	s.add("usage of a month, a million services", seconds, aim{most: 1}, 0, million*s.get(ctx, "/reports/usage?from="+day(60)+"&to="+day(30)))
}

// toFiles are the flags of a server that sends its e-mails.
func (s *site) toFiles() []string { return []string{"--mail-dir", filepath.Join(s.dir, "mail")} }

// measureIdle measures a full server without requests.
func (s *site) measureIdle(ctx context.Context) {
	s.enter(ctx, manual, s.toFiles()...)
	s.importAll(ctx, s.generate(min(100_000, s.people.rows), "Ocioso", ""))
	cpu, written, what := s.perSecond(ctx)
	s.add("idle server: share of a core", percent, aim{most: 0.002}, 0, cpu)
	s.add("idle server: "+what+" written a second", number, aim{most: 1}, 0, written)
}

// perSecond returns the server's processor time and writes per second, once it has settled. It
// measures for a minute, or for less with fewer rows.
func (s *site) perSecond(ctx context.Context) (cpu, written float64, what string) {
	during := min(time.Minute, time.Duration(s.people.rows)*time.Millisecond)
	wait(ctx, during/3)
	cpu = s.cpu()
	before, what := s.written(ctx)
	wait(ctx, during)
	written, _ = s.written(ctx)
	return (s.cpu() - cpu) / during.Seconds(), (written - before) / during.Seconds(), what
}

// measureFairness measures how an import and other work slow each other down: small writes of the same
// provider and of another during an import, then e-mails.
func (s *site) measureFairness(ctx context.Context) {
	s.enter(ctx, manual)
	alone := s.importAll(ctx, s.people)
	s.enter(ctx, manual)
	_, other := s.provider(ctx, "Outro")
	during, cancel := context.WithCancel(ctx)
	defer cancel()
	took := map[string][]float64{}
	var calls sync.WaitGroup
	calls.Go(func() {
		for n := 0; during.Err() == nil; n++ {
			bearer := []string{s.bearer, other}[n%2]
			took[bearer] = append(took[bearer], timed(func() { check(s.register(ctx, bearer, s.people.another())) }))
			wait(during, 10*time.Millisecond)
		}
	})
	beside := s.importAll(ctx, s.people)
	cancel()
	calls.Wait()
	s.add("small write beside an import of the same provider, 99 % below", seconds, aim{most: 0.050}, 0, quantile(took[s.bearer], 99))
	s.add("small write beside an import of another provider, 99 % below", seconds, aim{most: 0.050}, 0, quantile(took[other], 99))
	s.add("import beside small writes (floor: alone)", seconds, aim{}, alone, beside)
	s.enter(ctx, manual, s.toFiles()...)
	s.add("import while e-mails go out (floor: alone)", seconds, aim{share: 0.90}, alone, s.importAll(ctx, s.people))
}

// measureOutage measures the callbacks to a provider while a partner responds 503 to everything and
// 4,000 requests wait for it.
func (s *site) measureOutage(ctx context.Context) {
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer down.Close()
	called := make(chan struct{}, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called <- struct{}{} }))
	defer receiver.Close()
	people := s.generate(min(4000, s.people.rows), "Fora", ",products_ids")
	s.enter(ctx, []string{"--driver", "http", "--url", down.URL}, s.toFiles()...)
	s.importAll(ctx, people)
	s.script(ctx, activate)
	_, other := s.provider(ctx, "Outro")
	s.ativa(ctx, "admin", "callbacks", "set", "Outro", receiver.URL, "--allow-private", "--feed")
	callback := func() {
		check(s.register(ctx, other, people.another()))
		select {
		case <-called:
		case <-time.After(time.Minute):
			panic("no callback came within a minute")
		}
	}
	before := timed(callback)
	s.bulk(ctx, "provision", "suspend", "--product", "1", "--file", people.csv)
	cpu, written, what := s.perSecond(ctx)
	limit := map[string]aim{"rows": {most: 100}}
	s.add("partner down, 4,000 wait: "+what+" written a minute", number, limit[what], 0, 60*written)
	s.add("partner down, 4,000 wait: share of a core", percent, aim{most: 0.01}, 0, cpu)
	s.add("partner down, 4,000 wait: callback of another (floor: before)", seconds, aim{}, before, timed(callback))
}

// measureSync measures a spreadsheet that changes everybody's plan, over a link that adds 50 ms to
// each request.
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
	s.add("sync of 20,000 changes over a link of 50 ms", seconds, aim{most: 60}, 0, s.bulk(ctx, "sync", changed.csv, "--server", link.URL)*20_000/float64(rows))
}
