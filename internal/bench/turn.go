//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ativa/internal/bench/figures"
	"ativa/internal/store/pgcluster"
)

// bench is one run of everything.
type bench struct {
	options
	dir     string
	began   time.Time
	engines []engine
	program *ativa
	figures *figures.Run
}

// engine is a database: what the program stores in, and the floor beside it.
type engine interface {
	name() string
	// floor are the scripts of the floor: load takes the spreadsheet, suspend a
	// file of documents; list and suspend work on what is loaded.
	floor() scripts
	// empty makes an empty database for the floor.
	empty(context.Context) error
	// timed runs a script of the floor in the database's own client.
	timed(ctx context.Context, script string) (time.Duration, error)

	// fresh makes an empty database for the program, drop takes it away.
	fresh(ctx context.Context) (dsn string, err error)
	drop(ctx context.Context, dsn string) error
	// exec changes the program's database behind its back.
	exec(ctx context.Context, dsn, statement string) error
	// tidy does what the database would do by itself in the minutes to come.
	tidy(ctx context.Context, dsn string) error
	// size is how many bytes the program's database takes.
	size(ctx context.Context, dsn string) (int64, error)
	// cpu is the processor time of the database's own processes so far; none
	// where the database lives in the program.
	cpu() time.Duration
	// servers is how many servers of the program one database bears.
	servers() int
	close(context.Context) error
}

type scripts struct{ load, list, suspend string }

func (b *bench) open(ctx context.Context) error {
	if slices.Contains(split(b.engine), "sqlite") {
		b.engines = append(b.engines, &sqlite{dir: b.dir})
	}
	if !slices.Contains(split(b.engine), "postgres") {
		return nil
	}
	pg, err := openPostgres(ctx, b.postgres)
	switch {
	case errors.Is(err, pgcluster.ErrNotInstalled):
		b.without = append(b.without, "PostgreSQL is skipped: "+err.Error())
		fmt.Fprintln(os.Stderr, b.without[len(b.without)-1])
	case err != nil:
		return err
	default:
		b.engines = append(b.engines, pg)
	}
	return nil
}

func (b *bench) close(ctx context.Context) error {
	var errs []error
	for _, e := range b.engines {
		errs = append(errs, e.close(ctx))
	}
	return errors.Join(errs...)
}

// measure takes every turn at the usual size, then each other size once.
func (b *bench) measure(ctx context.Context) error {
	people, err := generate(b.dir, b.rows)
	if err != nil {
		return err
	}
	for turn := range b.turns {
		b.say("turn %d of %d", turn+1, b.turns)
		if err := b.startUp(ctx); err != nil {
			return err
		}
		if b.only == "startup" {
			continue
		}
		for _, e := range b.engines {
			if err := b.turn(ctx, e, people, b.figures.Of(e.name(), 0)); err != nil {
				return fmt.Errorf("%s: %w", e.name(), err)
			}
		}
	}
	for _, rows := range b.sizes {
		if b.only == "startup" {
			break
		}
		people, err := generate(b.dir, rows)
		if err != nil {
			return err
		}
		for _, e := range b.engines {
			b.say("%d subscribers on %s", rows, e.name())
			if err := b.turn(ctx, e, people, b.figures.Of(e.name(), rows)); err != nil {
				return fmt.Errorf("%s with %d subscribers: %w", e.name(), rows, err)
			}
		}
	}
	return nil
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%6s  %s\n", time.Since(b.began).Round(time.Second), fmt.Sprintf(format, args...))
}

// turn measures floor and program once each on an engine, work by work.
func (b *bench) turn(ctx context.Context, e engine, people *people, f *figures.Series) (err error) {
	s := &site{engine: e, program: b.program, people: people, figures: f}
	defer func() { err = errors.Join(err, s.leave(context.WithoutCancel(ctx))) }()
	if err := s.load(ctx); err != nil { // what the others work on
		return err
	}
	for _, step := range []struct {
		name string
		do   func(*site, context.Context) error
	}{{"list", (*site).list}, {"page", (*site).page}, {"search", (*site).search}, {"calls", (*site).calls}, {"suspend", (*site).suspend}, {"outbox", (*site).outbox}, {"usage", (*site).usage}} {
		if b.wants(step.name) {
			if err := step.do(s, ctx); err != nil {
				return fmt.Errorf("%s: %w", step.name, err)
			}
		}
	}
	if err := s.leave(ctx); err != nil {
		return err
	}
	if growing := f != b.figures.Of(e.name(), 0); growing {
		return nil
	}
	if b.wants("fairness") {
		if err := s.fairness(ctx); err != nil {
			return fmt.Errorf("fairness: %w", err)
		}
	}
	if !b.wants("two") || e.servers() < 2 {
		return nil
	}
	return s.loadForTwo(ctx)
}

// startUp measures commands that do nothing but start, beside a bare program
// of the same library for commands. Processor time says more than wall time.
func (b *bench) startUp(ctx context.Context) error {
	if !b.wants("startup") {
		return nil
	}
	bare := &binary{path: filepath.Join(b.dir, "bare"), home: b.dir}
	f := b.figures.Start
	for range 10 {
		for _, start := range []struct {
			work, who string
			binary    *binary
			args      []string
		}{
			{"version", figures.Floor, bare, []string{"version"}},
			{"version", figures.Program, &b.program.binary, []string{"version"}},
			{"help", figures.Floor, bare, []string{"help"}},
			{"help", figures.Program, &b.program.binary, []string{"help"}},
			{"help in Portuguese", figures.Floor, bare, []string{"help"}},
			{"help in Portuguese", figures.Program, &b.program.binary, []string{"help", "--lang", "pt"}},
			{"completion", figures.Floor, bare, []string{"__complete", "ver"}},
			{"completion", figures.Program, &b.program.binary, []string{"__complete", "provision", "suspend", "--product", ""}},
		} {
			o, err := start.binary.run(ctx, nil, start.args...)
			if err != nil {
				return err
			}
			f.Time(start.work+", processor time", start.who, o.CPU)
			f.Time(start.work+", wall time", start.who, o.Wall)
			if start.who == figures.Program {
				f.Bytes(start.work, o.Peak)
			}
		}
	}
	return nil
}
