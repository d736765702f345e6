package run_test

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

// memoryJob is a Job that keeps the rows it was sent in memory.
type memoryJob struct {
	mu    sync.Mutex
	rows  []string       // documents, as they arrived
	keys  map[string]int // number of requests by key
	sizes []int
	fail  func(request int, b run.Batch) error
	lose  func(request int) bool // processes the request and loses the answer
	has   map[string]bool
}

func (s *memoryJob) Known(*sheet.Row) bool { return false }

func (s *memoryJob) Singly() bool { return false }

func (s *memoryJob) Send(_ context.Context, b run.Batch) ([]run.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = append(s.sizes, len(b.Rows))
	if s.fail != nil {
		if err := s.fail(len(s.sizes), b); err != nil {
			return nil, err
		}
	}
	if s.keys == nil {
		s.keys, s.has = map[string]int{}, map[string]bool{}
	}
	s.keys[b.Key]++
	results := make([]run.Result, len(b.Rows))
	for i, r := range b.Rows {
		if s.keys[b.Key] == 1 {
			s.rows = append(s.rows, r.Document)
		}
		s.has[r.Document] = true
		results[i].Kind = api.ResultCreated
	}
	if s.lose != nil && s.lose(len(s.sizes)) {
		return nil, lost()
	}
	return results, nil
}

func (s *memoryJob) ReadBack(_ context.Context, b run.Batch) ([]run.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	results := make([]run.Result, len(b.Rows))
	for i, r := range b.Rows {
		if s.has[r.Document] {
			results[i].Kind = api.ResultCreated
		}
	}
	return results, nil
}

func lost() error {
	return &client.UnavailableError{Err: fmt.Errorf("connection reset"), Unknown: true}
}

// rows yields n rows.
func rows(n int) iter.Seq2[*sheet.Row, error] { return seq(file(documents(n)...)) }

// ignore discards an outcome.
func ignore(run.RowResult) error { return nil }
