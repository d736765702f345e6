//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
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

// rewrite stops the servers and changes the database behind their back.
func (s *site) rewrite(ctx context.Context, statement string) error {
	if err := s.halt(); err != nil {
		return err
	}
	if err := s.exec(ctx, s.dsn, statement); err != nil {
		return err
	}
	return s.tidy(ctx, s.dsn)
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

// spent notes the processor time that servers and database take for one unit of
// a work, which tells of how many it was.
func (s *site) spent(work string, do func() (units int, err error)) error {
	servers, database := s.serversCPU(), s.cpu()
	units, err := do()
	if err != nil {
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
	err = s.spent(work, func() (int, error) {
		o, err = s.program.run(ctx, s.user.environment(), args...)
		return units, err
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

// user is a provider's client of one server.
type user struct {
	url    string
	token  string // its access token
	bearer string
}

// environment tells the command line which server and as whom.
func (u *user) environment() []string {
	return []string{"ATIVA_SERVER=" + u.url, "ATIVA_ACCESS_TOKEN=" + u.token}
}

func (u *user) authenticate(ctx context.Context) error {
	if u.bearer != "" {
		return nil
	}
	res, err := u.do(ctx, http.MethodPost, "/authenticate", `{"access_token":"`+u.token+`"}`)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Authorization struct {
			Token string `json:"token"`
		} `json:"authorization"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	u.bearer = answer.Authorization.Token
	return nil
}

func (u *user) send(ctx context.Context, path, body string) error {
	res, err := u.do(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode >= 300 {
		return errors.Join(err, fmt.Errorf("POST %s: %s: %s", path, res.Status, tail(text)))
	}
	return nil
}

// do sends a request with the bearer, if there is one, and JSON, if there is any.
func (u *user) do(ctx context.Context, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if u.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+u.bearer)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return http.DefaultClient.Do(req)
}

// answered is how long an answer took to its first byte and to its last.
type answered struct{ first, all time.Duration }

func (u *user) get(ctx context.Context, path string) (a answered, err error) {
	began := time.Now()
	res, err := u.do(ctx, http.MethodGet, path, "")
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	if _, err := io.ReadFull(res.Body, make([]byte, 1)); err != nil {
		return a, err
	}
	a.first = time.Since(began)
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return a, err
	}
	a.all = time.Since(began)
	if res.StatusCode != http.StatusOK {
		return a, fmt.Errorf("GET %s: %s", path, res.Status)
	}
	return a, nil
}
