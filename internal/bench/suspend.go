//go:build linux

package main

import (
	"context"
	"fmt"

	"ativa/internal/bench/figures"
)

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
