//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"time"

	"ativa/internal/bench/figures"
)

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
	for range 3 {
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
