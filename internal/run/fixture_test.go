package run_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"ativa/internal/api"
	"ativa/internal/api/apitest"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
	"ativa/internal/system/systemtest"
)

const allExtensions = api.ExtIdempotency + ", " + api.ExtOverdue

// newFixture returns a server and a client of it that repeats nothing.
func newFixture(t *testing.T, extensions string) (*apitest.Server, *client.Client) {
	t.Helper()
	s := apitest.New(extensions)
	return s, apitest.Serve(t, s, client.Options{Retry: apitest.Once()})
}

// addPeople adds n subscribers, each with product 1.
func addPeople(s *apitest.Server, n int) {
	for i := range n {
		s.Add(numbered(i+1), 1)
	}
}

// numbered returns the i-th document.
func numbered(i int) string { return fmt.Sprintf("%011d", i) }

// file returns rows with the documents, from line 2 on.
func file(documents ...string) []*sheet.Row {
	all := make([]*sheet.Row, len(documents))
	for i, d := range documents {
		all[i] = &sheet.Row{Line: i + 2}
		all[i].Document, all[i].Name, all[i].InternetSpeedID = d, "Ana "+d, api.Some[api.Int](api.DefaultInternetSpeed)
	}
	return all
}

// seq yields the elements.
func seq[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// collect runs a job without a journal and returns the outcomes by document.
func collect(t *testing.T, job run.Job, rows []*sheet.Row, o run.Options) (map[string]run.RowResult, error) {
	t.Helper()
	return send(t.Context(), job, rows, nil, o)
}

// send is collect with a journal.
func send(ctx context.Context, job run.Job, rows []*sheet.Row, j *run.Journal, o run.Options) (map[string]run.RowResult, error) {
	all := map[string]run.RowResult{}
	err := run.Run(ctx, job, seq(rows), j, o, func(r run.RowResult) error {
		all[r.Row.Document] = r
		return nil
	})
	return all, err
}

// sendIn is send with a journal of the directory, which is closed afterwards.
func sendIn(ctx context.Context, t *testing.T, dir string, job run.Job, rows []*sheet.Row, o run.Options) (map[string]run.RowResult, error) {
	t.Helper()
	j := open(t, dir)
	got, err := send(ctx, job, rows, j, o)
	must(t, j.Close())
	return got, err
}

var must = systemtest.Must

// documents returns the documents number 1 to n.
func documents(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = numbered(i + 1)
	}
	return all
}

// memoryJob is a Job that keeps the rows it was sent in memory.
type memoryJob struct {
	mu    sync.Mutex
	rows  []string       // documents, as they arrived
	keys  map[string]int // number of requests by key
	sizes []int
	lose  func(request int) bool // processes the request and loses the answer
	has   map[string]bool
}

func (s *memoryJob) Singly() bool { return false }

func (s *memoryJob) Send(_ context.Context, b run.Batch) ([]run.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = append(s.sizes, len(b.Rows))
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
		return nil, &client.UnavailableError{Err: fmt.Errorf("connection reset"), Unknown: true}
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

// rows yields n rows.
func rows(n int) iter.Seq2[*sheet.Row, error] { return seq(file(documents(n)...)) }

// ignore discards an outcome.
func ignore(run.RowResult) error { return nil }
