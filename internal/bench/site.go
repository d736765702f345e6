//go:build linux

package main

import (
	"context"
	"errors"
	"time"

	"ativa/internal/bench/figures"
)

// site is the program at work on one engine: a database and its servers.
type site struct {
	engine
	program *ativa
	people  *people
	figures *figures.Series

	dsn     string
	servers []*server
	options []string // more flags of the servers
	user    *user
}

// enter begins with a fresh database, one provider, two products of a manual
// partner and no mail, and starts n servers on it.
func (s *site) enter(ctx context.Context, n int) (err error) {
	if s.dsn, err = s.fresh(ctx); err != nil {
		return err
	}
	token, err := s.program.setUp(ctx, s.dsn)
	if err != nil {
		return err
	}
	if err := s.start(ctx, n); err != nil {
		return err
	}
	s.user = &user{url: s.servers[0].url, token: token}
	return s.user.authenticate(ctx)
}

func (s *site) start(ctx context.Context, n int) error {
	for range n {
		server, err := s.program.serve(ctx, s.dsn, s.options...)
		if err != nil {
			return err
		}
		s.servers = append(s.servers, server)
		if err := server.ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) halt() error {
	var errs []error
	for _, server := range s.servers {
		errs = append(errs, server.stop())
	}
	s.servers = nil
	return errors.Join(errs...)
}

// restart starts one server anew and waits until it and the database are done
// with what they do at a start.
func (s *site) restart(ctx context.Context) error {
	if err := s.halt(); err != nil {
		return err
	}
	began := time.Now()
	if err := s.start(ctx, 1); err != nil {
		return err
	}
	s.figures.Time("start of the server", figures.Program, time.Since(began))
	s.user.url = s.servers[0].url
	const look, idle, patience = 500 * time.Millisecond, 20 * time.Millisecond, 5 * time.Minute
	used := s.serversCPU() + s.cpu()
	for time.Since(began) < patience {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		now := s.serversCPU() + s.cpu()
		if now-used <= idle {
			break
		}
		used = now
	}
	return nil
}

func (s *site) leave(ctx context.Context) error {
	err := s.halt()
	if s.dsn == "" {
		return err
	}
	dsn := s.dsn
	s.dsn = ""
	return errors.Join(err, s.drop(ctx, dsn))
}

// spent notes the processor time that servers and database take for a work of
// so many units.
func (s *site) spent(work string, units int, do func() error) error {
	servers, database := s.serversCPU(), s.cpu()
	if err := do(); err != nil {
		return err
	}
	s.figures.Cost(work, figures.Server, s.serversCPU()-servers, units)
	s.figures.Cost(work, figures.Database, s.cpu()-database, units)
	return nil
}

// timeFloor runs a script of the floor and notes how long it took.
func (s *site) timeFloor(ctx context.Context, work, script string) error {
	wall, err := s.timed(ctx, script)
	if err == nil {
		s.figures.Time(work, figures.Floor, wall)
	}
	return err
}

// command runs a command against a server and notes what it took for so many units.
func (s *site) command(ctx context.Context, work, url string, units int, args ...string) (o outcome, err error) {
	s.user.url = url
	err = s.spent(work, units, func() (err error) {
		o, err = s.program.run(ctx, s.user.environment(), args...)
		return err
	})
	if err == nil {
		s.figures.Time(work, figures.Program, o.Wall)
		s.figures.Bytes(work+", command line", o.Peak)
	}
	return o, err
}

func (s *site) serversCPU() (d time.Duration) {
	for _, server := range s.servers {
		d += server.cpu()
	}
	return d
}
