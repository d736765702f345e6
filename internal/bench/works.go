//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// works is what can be measured, in order; read, suspend and usage go on with
// the database of the import.
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

// measureStart measures commands that do nothing but start, beside a bare
// program of the same library for commands.
func (s *site) measureStart(ctx context.Context) {
	for range 10 {
		for work, args := range map[string][]string{
			"start: version":            {"version"},
			"start: help in Portuguese": {"help", "--lang", "pt"},
			"start: completion":         {"__complete", "provision", "suspend", "--product", ""},
		} {
			_, floor, err := s.bare.run(ctx, nil, "version")
			_, program, err2 := s.program.run(ctx, nil, args...)
			s.fail(errors.Join(err, err2))
			s.add(work+", processor time", floor.cpu, program.cpu)
		}
	}
	info, err := os.Stat(string(s.program))
	if !s.fail(err) {
		s.add("binary", 0, float64(info.Size()))
	}
}

// measureImport measures the import of the spreadsheet, and leaves a full database.
func (s *site) measureImport(ctx context.Context) {
	s.enter(ctx, manual)
	took := s.importAll(ctx, s.people)
	peak := 1024 * s.proc("status", "VmHWM")
	if s.err == nil {
		var floor float64
		floor, s.err = s.importFloor(ctx, s.dsn, s.people.csv)
		s.add("import", floor, took.wall)
	}
	s.add("import: memory of the server", 0, peak)
}

func (s *site) loaded(ctx context.Context) {
	if s.dsn == "" {
		s.enter(ctx, manual)
		s.importAll(ctx, s.people)
	}
}

const clients = 16 // that call at once

// measureReads measures the plain list, the last page, searches of all kinds,
// and many clients that each read or register one subscriber a call.
func (s *site) measureReads(ctx context.Context) {
	s.loaded(ctx)
	s.add("plain list", s.script(ctx, s.list()), s.get(ctx, "/subscribers"))
	s.add("page of 500, the last", 0, s.get(ctx, fmt.Sprintf("/subscribers?paginate=S&page=%d", (s.people.rows+499)/500)))
	var floors, program []float64
	for range 10 {
		for _, term := range []string{"Silva", "Souza", "zz", "silva12", "@example", "98765", "qwxk", s.people.documents[0]} {
			began := time.Now()
			_, err := client(ctx, "", "sh", "-c", `grep -cF -- "$0" "$1" || [ $? = 1 ]`, term, s.people.csv)
			s.fail(err)
			floors = append(floors, time.Since(began).Seconds())
			program = append(program, s.get(ctx, "/subscribers/search/"+url.PathEscape(term)+"?paginate=S"))
		}
	}
	s.add("search as one types, 95 % below", quantile(floors, 95), quantile(program, 95))
	documents := s.people.documents
	s.atOnce("reads a second, 16 clients", func(n int) error {
		_, err := s.call(ctx, http.MethodGet, s.bearer, "/subscribers/"+documents[n*7919%len(documents)], "")
		return err
	})
	others := s.people.others
	var mu sync.Mutex
	s.atOnce("registrations a second, 16 clients", func(int) error {
		mu.Lock()
		document := others.next()
		mu.Unlock()
		_, err := s.register(ctx, s.bearer, document)
		return err
	})
}

func (s *site) atOnce(work string, call func(n int) error) {
	if s.err != nil {
		return
	}
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
	s.fail(errors.Join(errs...))
	s.add(work, 0, float64(made.Load())/time.Since(began).Seconds())
}

// activate makes services active behind the program's back: activations wait for
// a click in an e-mail.
const activate = `UPDATE service SET status_id = 1 WHERE status_id IN (10, 14);`

// measureSuspension suspends a list of documents. The floor changes the same
// services in one statement; the program also writes operations, history and
// partner jobs.
func (s *site) measureSuspension(ctx context.Context) {
	s.loaded(ctx)
	s.script(ctx, activate)
	floor := s.script(ctx, `UPDATE service SET status_id = 14, updated_at = updated_at + 1
		WHERE product_id = 1 AND id / 4096 IN (SELECT id FROM subscriber WHERE document IN (`+strings.Join(s.people.documents, ",")+`));`)
	s.script(ctx, activate)
	took := s.command(ctx, s.url, "provision", "suspend", "--product", "1", "--file", s.people.list)
	s.add("suspend a list", floor, took.wall)
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

// measureUsage reports the year and its last month but one.
func (s *site) measureUsage(ctx context.Context) {
	s.loaded(ctx)
	s.halt()
	s.script(ctx, pastYear)
	s.serve(ctx)
	day := func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	share := 1.3 * float64(s.people.rows) / 200_000
	s.add("usage of a month, 200,000 services", 0, s.get(ctx, "/reports/usage?from="+day(60)+"&to="+day(30))/share)
	s.add("usage of a year, 200,000 services", 0, s.get(ctx, "/reports/usage?from="+day(365)+"&to="+day(0))/share)
}

func (s *site) letters() []string { return []string{"--mail-dir", filepath.Join(s.dir, "letters")} }

// measureIdle measures a full server that nobody calls.
func (s *site) measureIdle(ctx context.Context) {
	s.enter(ctx, manual, s.letters()...)
	people, err := s.generate(min(100_000, s.people.rows), "Ocioso", "")
	if s.fail(err) {
		return
	}
	s.importAll(ctx, people)
	cpu, bytes, _ := s.over(ctx)
	s.add("idle server: share of a core", 0, cpu)
	s.add("idle server: bytes written a second", 0, bytes)
}

// over returns the share of a core that the server takes, and the bytes and rows
// that are written a second, once it has settled: in a minute, with fewer rows in less.
func (s *site) over(ctx context.Context) (cpu, bytes, rows float64) {
	during := min(time.Minute, time.Duration(s.people.rows)*time.Millisecond)
	look := func(sign float64) {
		if s.err == nil {
			var written float64
			written, s.err = s.written(ctx, s.dsn)
			rows += sign * written / during.Seconds()
			bytes += sign * s.proc("io", "write_bytes") / during.Seconds()
			cpu += sign * s.cpu() / during.Seconds()
		}
	}
	wait(ctx, during/3)
	look(-1)
	wait(ctx, during)
	look(1)
	return cpu, bytes, rows
}

// measureFairness measures what an import costs others, and others an import:
// small writes of the same provider and of another beside it, then e-mails.
func (s *site) measureFairness(ctx context.Context) {
	s.enter(ctx, manual)
	alone := s.importAll(ctx, s.people).wall
	s.enter(ctx, manual)
	other := s.signIn(ctx, s.provider(ctx, "Outro"))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	took, others := map[string][]float64{}, s.people.others
	var calls sync.WaitGroup
	calls.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			bearer := []string{s.bearer, other}[n%2]
			if d, err := s.register(context.WithoutCancel(ctx), bearer, others.next()); err == nil {
				took[bearer] = append(took[bearer], d)
			}
			wait(ctx, 10*time.Millisecond)
		}
	})
	beside := s.importAll(context.WithoutCancel(ctx), s.people).wall
	cancel()
	calls.Wait()
	s.add("small write beside an import of the same provider, 99 % below", 0, quantile(took[s.bearer], 99))
	s.add("small write beside an import of another provider, 99 % below", 0, quantile(took[other], 99))
	s.add("import beside small writes (floor: alone)", alone, beside)
	ctx = context.WithoutCancel(ctx)
	s.enter(ctx, manual, s.letters()...)
	s.add("import while e-mails go out (floor: alone)", alone, s.importAll(ctx, s.people).wall)
}

// measureOutage measures a partner that answers 503 to everything while 4,000
// requests wait for it, and the callbacks to a provider meanwhile.
func (s *site) measureOutage(ctx context.Context) {
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer down.Close()
	called := make(chan struct{}, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called <- struct{}{} }))
	defer receiver.Close()
	people, err := s.generate(min(4000, s.people.rows), "Fora", ",products_ids")
	if s.fail(err) {
		return
	}
	s.enter(ctx, []string{"--driver", "http", "--url", down.URL}, s.letters()...)
	s.importAll(ctx, people)
	s.script(ctx, activate)
	other := s.signIn(ctx, s.provider(ctx, "Outro"))
	s.admin(ctx, "callbacks", "set", "Outro", receiver.URL, "--allow-private", "--feed")
	callback := func() float64 {
		took, err := s.register(ctx, other, people.others.next())
		s.fail(err)
		began := time.Now()
		select {
		case <-called:
		case <-time.After(time.Minute):
			s.fail(errors.New("no callback came within a minute"))
		}
		return took + time.Since(began).Seconds()
	}
	before := callback()
	s.command(ctx, s.url, "provision", "suspend", "--product", "1", "--file", people.csv)
	cpu, bytes, rows := s.over(ctx)
	if s.name() == "PostgreSQL" {
		s.add("partner down, 4,000 wait: row writes a minute", 0, 60*rows)
	} else {
		s.add("partner down, 4,000 wait: bytes written a minute", 0, 60*bytes)
	}
	s.add("partner down, 4,000 wait: share of a core", 0, cpu)
	s.add("partner down, 4,000 wait: callback of another (floor: before)", before, callback())
}

// measureSync measures a spreadsheet that changes the plan of everybody, over a
// link whose messages take 25 ms each way.
func (s *site) measureSync(ctx context.Context) {
	rows := min(20_000, s.people.rows)
	people, err := s.generate(rows, "Lento", "")
	changed, err2 := s.generate(rows, "Turbo", "")
	link, err3 := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if s.fail(errors.Join(err, err2, err3)) {
		return
	}
	defer link.Close()
	s.enter(ctx, manual)
	s.importAll(ctx, people)
	go slowly(ctx, link, strings.TrimPrefix(s.url, "http://"))
	took := s.command(ctx, "http://"+link.Addr().String(), "sync", changed.csv)
	s.add("sync of 20,000 changes over a link of 50 ms", 0, took.wall*20_000/float64(rows))
}

// slowly passes connections on, each message 25 ms late.
func slowly(ctx context.Context, link net.Listener, to string) {
	pass := func(to, from net.Conn) {
		defer to.Close()
		for text := make([]byte, 64<<10); ; {
			n, err := from.Read(text)
			wait(ctx, 25*time.Millisecond)
			if _, err2 := to.Write(text[:n]); err != nil || err2 != nil {
				from.Close()
				return
			}
		}
	}
	for {
		in, err := link.Accept()
		if err != nil {
			return
		}
		out, err := (&net.Dialer{}).DialContext(ctx, "tcp", to)
		if err != nil {
			in.Close()
			continue
		}
		go pass(in, out)
		go pass(out, in)
	}
}
