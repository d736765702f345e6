//go:build linux

package main

import (
	"context"
	"errors"
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
	began, servers, database := time.Now(), s.serversCPU(), s.cpu()
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
	s.figures.Cost(work, figures.Server, s.serversCPU()-servers, n)
	s.figures.Cost(work, figures.Database, s.cpu()-database, n)
	return errors.Join(errs...)
}
