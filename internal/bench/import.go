//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"

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
	return s.grown(ctx, figures.BytesImported, 0, s.people.rows)
}

// loadWithTwo measures the import through two servers of a fresh database,
// whose connections take turns.
func (s *site) loadWithTwo(ctx context.Context) error {
	if err := s.enter(ctx, 2); err != nil {
		return err
	}
	url, stop, err := balance(ctx, s.servers)
	if err != nil {
		return err
	}
	defer stop()
	if err := s.importAll(ctx, figures.ImportByTwo, url); err != nil {
		return err
	}
	if wall := s.figures.LastTime(figures.Import, figures.Floor); wall > 0 {
		s.figures.Time(figures.ImportByTwo, figures.Floor, wall) // the floor is the same
	}
	return nil
}

func (s *site) importAll(ctx context.Context, work, url string) error {
	command, err := s.command(ctx, work, url, s.people.rows, "subscribers", "import", s.people.csv, "--report-dir", filepath.Dir(s.people.csv), "--quiet", "--yes")
	s.figures.Cost(work, figures.CommandLine, command.CPU, s.people.rows)
	return err
}

// peak is the largest resident memory that one of the servers had.
func (s *site) peak() (bytes int64) {
	for _, server := range s.servers {
		_, peak := server.memory()
		bytes = max(bytes, peak)
	}
	return bytes
}
