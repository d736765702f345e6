//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"ativa/internal/bench/figures"
)

// load measures the import of the spreadsheet by the command line, and leaves
// a database that is full. The floor loads the same rows.
func (s *site) load(ctx context.Context) error {
	if err := s.empty(ctx); err != nil {
		return err
	}
	if err := s.timeFloor(ctx, figures.Import, fmt.Sprintf(s.floor().load, s.people.csv)); err != nil {
		return err
	}
	if err := s.enter(ctx, 1); err != nil {
		return err
	}
	if err := s.importAll(ctx, figures.Import, s.servers[0].url); err != nil {
		return err
	}
	s.figures.Bytes(figures.MemoryImporting, s.peak())
	if err := s.grown(ctx, figures.BytesImported, 0, s.people.rows); err != nil {
		return err
	}
	return s.sameRows(ctx)
}

// loadForTwo measures two providers that import at the same time: through one
// server, which is the floor, and through one each.
func (s *site) loadForTwo(ctx context.Context) error {
	for servers := 1; servers <= 2; servers++ {
		work := figures.ImportForTwo
		if servers == 2 {
			s.figures.Time(figures.ImportByTwo, figures.Floor, s.figures.LastTime(work, figures.Program))
			work = figures.ImportByTwo
		}
		if err := s.importForTwo(ctx, work, servers); err != nil {
			return err
		}
		if err := s.leave(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) importForTwo(ctx context.Context, work string, servers int) error {
	if err := s.enter(ctx, servers); err != nil {
		return err
	}
	other, err := s.program.provider(ctx, s.dsn, "Outro")
	if err != nil {
		return err
	}
	began := time.Now()
	err = s.spent(work, func() (int, error) {
		var errs [2]error
		var imports sync.WaitGroup
		for n, token := range []string{s.user.token, other} {
			u := user{url: s.servers[n%servers].url, token: token}
			home, err := os.MkdirTemp(filepath.Dir(s.people.csv), "provider-") // each has a machine of its own
			if err != nil {
				return 0, err
			}
			imports.Go(func() {
				_, errs[n] = s.program.run(ctx, append(u.environment(), "HOME="+home), s.importArgs(home)...)
			})
		}
		imports.Wait()
		return 2 * s.people.rows, errors.Join(errs[:]...)
	})
	s.figures.Time(work, figures.Program, time.Since(began))
	return err
}

func (s *site) importAll(ctx context.Context, work, url string) error {
	command, err := s.command(ctx, work, url, s.people.rows, s.importArgs(filepath.Dir(s.people.csv))...)
	s.figures.Cost(work, figures.CommandLine, command.CPU, s.people.rows)
	return err
}

func (s *site) importArgs(reports string) []string {
	return []string{"subscribers", "import", s.people.csv, "--report-dir", reports, "--quiet", "--yes"}
}

// peak is the largest resident memory that one of the servers had.
func (s *site) peak() (bytes int64) {
	for _, server := range s.servers {
		_, peak := server.memory()
		bytes = max(bytes, peak)
	}
	return bytes
}

// pageSize is what GET /subscribers returns with paginate=S.
const pageSize = 500

// list measures the plain list of all subscribers with their services, read to
// its end. The floor writes the same as JSON.
func (s *site) list(ctx context.Context) error {
	if err := s.timeFloor(ctx, figures.PlainList, s.floor().list); err != nil {
		return err
	}
	server := s.servers[0]
	before, err := server.forgetPeak()
	if err != nil {
		return err
	}
	var got answered
	err = s.spent(figures.PlainList, func() (_ int, err error) {
		got, err = s.user.get(ctx, "/subscribers")
		return s.people.rows, err
	})
	if err != nil {
		return err
	}
	s.figures.Time(figures.PlainList, figures.Program, got.all)
	s.figures.Time("plain list, first byte", figures.Program, got.first)
	_, peak := server.memory()
	s.figures.Bytes("plain list, growth of the server", max(0, peak-before))
	return nil
}

// page measures pages from the first to the last.
func (s *site) page(ctx context.Context) error {
	last := (s.people.rows + pageSize - 1) / pageSize
	const pages = 20
	for i := range pages {
		got, err := s.user.get(ctx, fmt.Sprintf("/subscribers?paginate=S&page=%d", 1+i*(last-1)/(pages-1)))
		if err != nil {
			return err
		}
		s.figures.Time("page of 500", figures.Program, got.all)
	}
	return nil
}

// term is a kind of search, and the words of one.
type term struct{ kind, text, grep string }

// terms are searched for. Those of names stand for how often a word occurs:
// the generated names are of fifty words each.
func (s *site) terms() []term {
	return []term{
		{"search, a name", "silva", "Silva"},
		{"search, two names", "joão souza", "Souza"},
		{"search, three names", "maria azevedo pinto", "Pinto"},
		{"search, two letters", "zz", "zz"},
		{"search, part of an e-mail address", "silva12", "silva12"},
		{"search, what everybody has", "@example", "@example"},
		{"search, five digits", "98765", "98765"},
		{"search, what nobody has", "qwxk", "qwxk"},
		{"search, a whole document", s.people.documents[len(s.people.documents)/2], s.people.documents[len(s.people.documents)/2]},
	}
}

// search measures the first page of matches, with their total. The floor is
// grep -cF over the spreadsheet. The first search of a server, which may have
// to read what can be searched, is measured apart. The server starts anew, so
// that its hourly housekeeping, which may make an index, is done.
func (s *site) search(ctx context.Context) error {
	if err := s.restart(ctx); err != nil {
		return err
	}
	got, err := s.user.get(ctx, "/subscribers/search/warm?paginate=S")
	if err != nil {
		return err
	}
	s.figures.Time("search, the first after a start", figures.Program, got.all)
	for range 10 {
		for _, t := range s.terms() {
			wall, err := grep(ctx, t.grep, s.people.csv)
			if err != nil {
				return err
			}
			got, err := s.user.get(ctx, "/subscribers/search/"+url.PathEscape(t.text)+"?paginate=S")
			if err != nil {
				return err
			}
			for _, work := range []string{t.kind, figures.AllSearches} {
				s.figures.Time(work, figures.Floor, wall)
				s.figures.Time(work, figures.Program, got.all)
			}
		}
	}
	_, peak := s.servers[0].memory()
	s.figures.Bytes("search, server", peak)
	return nil
}

func grep(ctx context.Context, text, file string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, "grep", "-cF", "--", text, file)
	cmd.Stdout = io.Discard
	began := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 { // 1: no line has it
		return 0, fmt.Errorf("grep: %w", err)
	}
	return time.Since(began), nil
}

// suspend measures the suspension of a list of documents, in the random order
// of the spreadsheet. The floor changes the services in one transaction; the
// program also writes operations, history and partner jobs. Activations wait
// for a click in an e-mail, so the services are made active behind the
// program's back.
func (s *site) suspend(ctx context.Context) error {
	if err := s.timeFloor(ctx, figures.Suspension, fmt.Sprintf(s.floor().suspend, s.people.list)); err != nil {
		return err
	}
	if err := s.exec(ctx, s.dsn, `UPDATE service SET status_id = 1 WHERE status_id = 10`); err != nil {
		return err
	}
	before, err := s.size(ctx, s.dsn)
	if err != nil {
		return err
	}
	_, err = s.command(ctx, figures.Suspension, s.servers[0].url, len(s.people.documents),
		"provision", "suspend", "--product", "1", "--file", s.people.list, "--quiet", "--yes")
	if err != nil {
		return err
	}
	return s.grown(ctx, figures.BytesSuspended, before, len(s.people.documents))
}

// grown notes how much the database has grown for each of so many units.
func (s *site) grown(ctx context.Context, name string, before int64, units int) error {
	now, err := s.size(ctx, s.dsn)
	s.figures.Bytes(name, max(0, now-before)/int64(units))
	return err
}

// outbox measures how fast a server works off deliveries that need no
// receiver: the requests of the suspension to a partner that nobody calls.
// They are made due again behind the program's back while it is stopped, and
// the e-mails are taken for delivered.
func (s *site) outbox(ctx context.Context) error {
	if err := s.rewrite(ctx, `UPDATE job SET state = CASE WHEN kind = 3 THEN 0 ELSE 2 END, next_at = created_at`); err != nil {
		return err
	}
	if err := s.start(ctx, 1); err != nil {
		return err
	}
	began := time.Now()
	open, err := s.servers[0].openJobs(ctx)
	if err != nil {
		return err
	}
	if open == 0 {
		return fmt.Errorf("nothing to deliver: measure it together with suspend, on more rows")
	}
	err = s.spent(figures.Delivery, func() (int, error) { return open, s.worksOff(ctx) })
	if err != nil {
		return err
	}
	s.figures.Rate(figures.Deliveries, float64(open)/time.Since(began).Seconds())
	return nil
}

func (s *site) worksOff(ctx context.Context) error {
	for {
		open, err := s.servers[0].openJobs(ctx)
		if err != nil || open == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
