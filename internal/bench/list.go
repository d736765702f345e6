//go:build linux

package main

import (
	"context"
	"fmt"

	"ativa/internal/bench/figures"
)

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
	err = s.spent(figures.PlainList, s.people.rows, func() (err error) {
		got, err = s.user.get(ctx, "/subscribers")
		return err
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

// page measures the first page, one in the middle and the last.
func (s *site) page(ctx context.Context) error {
	last := (s.people.rows + pageSize - 1) / pageSize
	for range 3 {
		for _, n := range []int{1, max(1, last/2), last} {
			got, err := s.user.get(ctx, fmt.Sprintf("/subscribers?paginate=S&page=%d", n))
			if err != nil {
				return err
			}
			s.figures.Time("page of 500", figures.Program, got.all)
		}
	}
	return nil
}
