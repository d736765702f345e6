//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"ativa/internal/bench/figures"
)

// outbox measures how fast a server works off deliveries that need no
// receiver: the requests of the suspension to a partner that nobody calls.
// They are made due again behind the program's back while it is stopped, and
// the e-mails are taken for delivered.
func (s *site) outbox(ctx context.Context) error {
	if err := s.halt(); err != nil {
		return err
	}
	if err := s.exec(ctx, s.dsn, `UPDATE job SET state = CASE WHEN kind = 3 THEN 0 ELSE 2 END, next_at = created_at`); err != nil {
		return err
	}
	if err := s.tidy(ctx, s.dsn); err != nil {
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
	err = s.spent(figures.Delivery, open, func() error { return s.worksOff(ctx) })
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
