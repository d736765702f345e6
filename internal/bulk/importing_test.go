package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync"
	"testing"

	"ativa/internal/api"
	"ativa/internal/bulk"
	"ativa/internal/client"
	"ativa/internal/csvfile"
)

// server answers imports in memory.
type server struct {
	mu       sync.Mutex
	rows     []string       // documents, as they arrived
	keys     map[string]int // by key: how often
	sizes    []int
	most     int // rows that one request may have; 0: any
	fail     func(request int) error
	silent   bool // answers without results, as another server may
	underWay int
	peak     int
	gate     chan struct{} // when set, a request waits for it
}

func (s *server) Import(_ context.Context, rows []api.ImportRow, key string) (client.Answer[api.ImportAnswer], error) {
	s.mu.Lock()
	s.underWay++
	s.peak = max(s.peak, s.underWay)
	s.mu.Unlock()
	if s.gate != nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay--
	var answer client.Answer[api.ImportAnswer]
	if s.most > 0 && len(rows) > s.most {
		return answer, &client.Error{Status: http.StatusRequestEntityTooLarge}
	}
	s.sizes = append(s.sizes, len(rows))
	if s.fail != nil {
		if err := s.fail(len(s.sizes)); err != nil {
			return answer, err
		}
	}
	if s.keys == nil {
		s.keys = map[string]int{}
	}
	s.keys[key]++
	answer.Detailed = !s.silent
	for i, r := range rows {
		s.rows = append(s.rows, r.Document)
		answer.Value.Results = append(answer.Value.Results, api.ImportResult{Index: i, Document: r.Document, Result: api.ResultCreated})
	}
	return answer, nil
}

func rows(n int) iter.Seq2[*csvfile.Row, error] {
	return func(yield func(*csvfile.Row, error) bool) {
		for i := range n {
			r := &csvfile.Row{Line: i + 2}
			r.Document = fmt.Sprintf("%011d", i)
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestOutcomesComeInTheOrderOfTheFile(t *testing.T) {
	s := &server{}
	var lines []int
	err := bulk.Import(t.Context(), s, rows(2500), bulk.Options{Rows: 100, InFlight: 8}, func(o bulk.Outcome) error {
		if o.Err != nil || o.Result.Document != o.Row.Document {
			t.Errorf("line %d: got %+v, %v", o.Row.Line, o.Result, o.Err)
		}
		lines = append(lines, o.Row.Line)
		return nil
	})
	if err != nil || len(lines) != 2500 || !slices.IsSorted(lines) {
		t.Errorf("got %d lines (in order: %v), %v, want 2,500 in order", len(lines), slices.IsSorted(lines), err)
	}
	if len(s.keys) != 25 {
		t.Errorf("got %d keys, want one for each of 25 batches", len(s.keys))
	}
}

func TestNoMoreRequestsAreUnderWayThanAsked(t *testing.T) {
	s := &server{gate: make(chan struct{})}
	go func() {
		for range 40 {
			s.gate <- struct{}{}
		}
	}()
	if err := bulk.Import(t.Context(), s, rows(400), bulk.Options{Rows: 10, InFlight: 1}, func(bulk.Outcome) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if s.peak > 1 {
		t.Errorf("got %d at once, want at most 1", s.peak)
	}
}

func TestABatchThatIsTooLargeIsHalved(t *testing.T) {
	s := &server{most: 300}
	n := 0
	err := bulk.Import(t.Context(), s, rows(1000), bulk.Options{}, func(o bulk.Outcome) error { n++; return o.Err })
	if err != nil || n != 1000 || len(s.rows) != 1000 || slices.Max(s.sizes) > 300 {
		t.Errorf("got %d outcomes, %d rows, sizes %v, %v", n, len(s.rows), s.sizes, err)
	}
}

func TestAfterAnErrorNothingFurtherIsStartedAndEveryRowHasAnOutcome(t *testing.T) {
	lost := &client.Unavailable{Err: errors.New("connection reset"), Unknown: true}
	s := &server{fail: func(request int) error {
		if request == 3 {
			return lost
		}
		return nil
	}}
	done, unknown := 0, 0
	err := bulk.Import(t.Context(), s, rows(10_000), bulk.Options{Rows: 10, InFlight: 2}, func(o bulk.Outcome) error {
		if o.Err != nil {
			unknown++
		} else {
			done++
		}
		return nil
	})
	if !errors.Is(err, lost) || unknown != 10 {
		t.Errorf("got %v and %d rows without an answer, want the loss and 10", err, unknown)
	}
	if done != len(s.rows) || done > 200 {
		t.Errorf("got %d outcomes for %d rows done, want the same and soon an end", done, len(s.rows))
	}
}

func TestAServerThatSaysNoMoreIsTakenAtItsWord(t *testing.T) {
	s := &server{silent: true}
	err := bulk.Import(t.Context(), s, rows(5), bulk.Options{}, func(o bulk.Outcome) error {
		if o.Result.Result != api.ResultSent {
			t.Errorf("got %q, want sent", o.Result.Result)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnErrorOfTheFileEndsTheImport(t *testing.T) {
	broken := errors.New("record too long")
	seq := func(yield func(*csvfile.Row, error) bool) {
		for r := range rows(15) {
			if !yield(r, nil) {
				return
			}
		}
		yield(nil, broken)
	}
	n := 0
	err := bulk.Import(t.Context(), &server{}, seq, bulk.Options{Rows: 10}, func(bulk.Outcome) error { n++; return nil })
	if !errors.Is(err, broken) || n != 10 {
		t.Errorf("got %v after %d rows, want the error of the file after the first batch", err, n)
	}
}
