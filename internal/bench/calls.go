//go:build linux

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ativa/internal/bench/figures"
)

// calledIn is how long the clients call.
const calledIn = 2 * time.Second

// calls measures many clients that each read or register one subscriber a
// call. What the clients themselves take is part of the machine's limit here.
func (s *site) calls(ctx context.Context) error {
	documents := s.people.documents
	err := s.called(ctx, figures.Reads, func(ctx context.Context, n int) error {
		_, err := s.user.get(ctx, "/subscribers/"+documents[n*7919%len(documents)])
		return err
	})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	others := s.people.others // each database meets them anew
	return s.called(ctx, figures.Registrations, func(ctx context.Context, n int) error {
		mu.Lock()
		document := others.next()
		mu.Unlock()
		return s.user.send(ctx, "/subscribers", registration(n, document))
	})
}

func (s *site) called(ctx context.Context, work string, call func(ctx context.Context, n int) error) error {
	return s.spent(work, func() (int, error) {
		began := time.Now()
		var made atomic.Int64
		errs := make([]error, figures.Clients)
		var clients sync.WaitGroup
		for c := range figures.Clients {
			clients.Go(func() {
				for errs[c] == nil && time.Since(began) < calledIn {
					errs[c] = call(ctx, int(made.Add(1)))
				}
			})
		}
		clients.Wait()
		n := int(made.Load())
		s.figures.Rate(figures.AtOnce(work), float64(n)/time.Since(began).Seconds())
		return n, errors.Join(errs...)
	})
}

// fairness measures what an import costs others, and others an import: small
// writes of another provider and of the same one beside it, then e-mails that go
// out meanwhile. Its floor is the import alone.
func (s *site) fairness(ctx context.Context) error {
	alone := s.figures.LastTime(figures.Import, figures.Program)
	if err := s.enter(ctx, 1); err != nil {
		return err
	}
	if err := s.importBesideCalls(ctx); err != nil {
		return err
	}
	s.figures.Time(figures.ImportBesideCalls, figures.Floor, alone)
	if err := s.leave(ctx); err != nil {
		return err
	}
	s.options = []string{"--mail-dir", filepath.Join(filepath.Dir(s.people.csv), "letters")}
	defer func() { s.options = nil }()
	if err := s.enter(ctx, 1); err != nil {
		return err
	}
	if err := s.importAll(ctx, figures.ImportWithMail, s.servers[0].url); err != nil {
		return err
	}
	s.figures.Time(figures.ImportWithMail, figures.Floor, alone)
	return s.leave(ctx)
}

// importBesideCalls imports while one client of the same provider and one of
// another register subscribers, one after the other.
func (s *site) importBesideCalls(ctx context.Context) error {
	token, err := s.program.provider(ctx, s.dsn, "Outro")
	if err != nil {
		return err
	}
	same, other := *s.user, user{token: token}
	others := s.people.others
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	var errs [2]error
	var clients sync.WaitGroup
	var documents [2]roots
	documents[0] = others
	for range 500_000 { // the two never meet
		others.next()
	}
	documents[1] = others
	for c, work := range []string{figures.SmallOfSame, figures.SmallOfOther} {
		u := []*user{&same, &other}[c]
		u.url = s.servers[0].url
		if err := u.authenticate(ctx); err != nil {
			return err
		}
		clients.Go(func() { errs[c] = s.callsUntil(ctx, done, work, u, documents[c]) })
	}
	err = s.importAll(ctx, figures.ImportBesideCalls, s.servers[0].url)
	close(done)
	clients.Wait()
	return cmp.Or(err, errs[0], errs[1])
}

const callPause = 10 * time.Millisecond

// times are shared by the clients of one series.
var times sync.Mutex

func (s *site) callsUntil(ctx context.Context, done <-chan struct{}, work string, u *user, documents roots) error {
	var all []time.Duration
	for n := 0; ; n++ {
		select {
		case <-done:
			times.Lock()
			defer times.Unlock()
			for _, d := range all {
				s.figures.Time(work, figures.Program, d)
			}
			s.figures.Time(figures.Slowest(work), figures.Program, figures.Quantile(all, 99))
			return nil
		case <-time.After(callPause):
		}
		began := time.Now()
		if err := u.send(ctx, "/subscribers", registration(n, documents.next())); err != nil {
			return err
		}
		all = append(all, time.Since(began))
	}
}

func registration(n int, document string) string {
	return fmt.Sprintf(`{"name":"Nova Pessoa","email":"nova%d@example.com.br","document":%q,"phone":"+5511987654321",`+
		`"internet_speed_id":1,"customer_plan":"Fibra 100"}`, n, document)
}

func (p *ativa) provider(ctx context.Context, dsn, name string) (token string, err error) {
	out, err := p.run(ctx, nil, "admin", "providers", "create", name, "--limit", "100000000", "-o", "json", "--db", dsn)
	if err != nil {
		return "", err
	}
	var created struct {
		Token string `json:"access_token"`
	}
	return created.Token, json.Unmarshal(out.stdout, &created)
}
