package run_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/run"
	"ativa/internal/sheet"
)

func TestOutcomesComeInTheOrderOfTheFile(t *testing.T) {
	s := &memoryJob{}
	var lines []int
	err := run.Run(t.Context(), s, rows(2500), nil, run.Options{Rows: 100, Idempotency: true}, func(o run.RowResult) error {
		if o.Err != nil || o.Kind != api.ResultCreated {
			t.Errorf("line %d: got %q, %v", o.Row.Line, o.Kind, o.Err)
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
	s := &memoryJob{gate: make(chan struct{})}
	go func() {
		for range 40 {
			s.gate <- struct{}{}
		}
	}()
	if err := run.Run(t.Context(), s, rows(400), nil, run.Options{Rows: 10, InFlight: 1}, ignore); err != nil {
		t.Fatal(err)
	}
	if s.peak > 1 {
		t.Errorf("got %d at once, want at most 1", s.peak)
	}
}

func TestABatchThatIsTooLargeIsHalved(t *testing.T) {
	s := &memoryJob{most: 300}
	n := 0
	err := run.Run(t.Context(), s, rows(1000), nil, run.Options{Idempotency: true}, func(o run.RowResult) error { n++; return o.Err })
	if err != nil || n != 1000 || len(s.rows) != 1000 || slices.Max(s.sizes) > 300 {
		t.Errorf("got %d outcomes, %d rows, sizes %v, %v", n, len(s.rows), s.sizes, err)
	}
}

func TestARefusedBatchIsBisectedToTheRow(t *testing.T) {
	bad := []string{"00000000007", "00000000503"}
	s := &memoryJob{fail: func(_ int, b run.Batch) error {
		for _, r := range b.Rows {
			if slices.Contains(bad, r.Document) {
				return &client.Error{Status: http.StatusUnprocessableEntity, Code: "no", Message: "one of them is wrong"}
			}
		}
		return nil
	}}
	var failed []string
	err := run.Run(t.Context(), s, rows(1000), nil, run.Options{}, func(o run.RowResult) error {
		if o.Kind == api.ResultFailed {
			failed = append(failed, o.Row.Document)
			if o.Code != "no" || o.Detail != "one of them is wrong" {
				t.Errorf("got %q %q", o.Code, o.Detail)
			}
		}
		return o.Err
	})
	if err != nil || !slices.Equal(failed, bad) || len(s.rows) != 998 {
		t.Errorf("got %v refused, %d done, %v", failed, len(s.rows), err)
	}
	if len(s.sizes) > 60 {
		t.Errorf("took %d requests", len(s.sizes))
	}
}

func TestAServerThatNeverAnswersIsNotAskedForEveryRow(t *testing.T) {
	s := &memoryJob{fail: func(int, run.Batch) error { return &client.Error{Status: http.StatusGatewayTimeout, Unknown: true} }}
	err := run.Run(t.Context(), s, rows(1000), nil, run.Options{Idempotency: true}, ignore)
	if err == nil || len(s.sizes) > 3 {
		t.Errorf("got %v after %d requests, want an error after 3", err, len(s.sizes))
	}
}

func TestASlowServerGetsSmallerBatches(t *testing.T) {
	s := &memoryJob{fail: func(_ int, b run.Batch) error {
		if len(b.Rows) > 250 {
			return &client.Error{Status: http.StatusRequestTimeout, Unknown: true}
		}
		return nil
	}}
	if err := run.Run(t.Context(), s, rows(1000), nil, run.Options{Idempotency: true}, ignore); err != nil || len(s.rows) != 1000 {
		t.Errorf("got %d rows, %v", len(s.rows), err)
	}
}

func TestALostAnswerIsReadBackWhereTheServerKeepsNoKeys(t *testing.T) {
	s := &memoryJob{lose: func(n int) bool { return n%2 == 1 }}
	n := 0
	err := run.Run(t.Context(), s, rows(1000), nil, run.Options{Rows: 100, InFlight: 4}, func(o run.RowResult) error {
		n++
		return o.Err
	})
	if err != nil || n != 1000 || len(s.rows) != 1000 || s.readBack != 5 {
		t.Errorf("got %d outcomes, %d rows, %d read back, %v", n, len(s.rows), s.readBack, err)
	}
}

func TestWhatWasLostBeforeItArrivedIsSentAgain(t *testing.T) {
	first := true
	s := &memoryJob{fail: func(int, run.Batch) error {
		if first {
			first = false
			return lost()
		}
		return nil
	}}
	if err := run.Run(t.Context(), s, rows(10), nil, run.Options{}, ignore); err != nil || len(s.rows) != 10 {
		t.Errorf("got %d rows, %v", len(s.rows), err)
	}
}

func TestAfterAnErrorNothingFurtherIsStartedAndEveryRowHasAnOutcome(t *testing.T) {
	gone := lost()
	s := &memoryJob{fail: func(request int, _ run.Batch) error {
		if request == 3 {
			return gone
		}
		return nil
	}}
	done, unknown, notSent := 0, 0, 0
	err := run.Run(t.Context(), s, rows(10_000), nil, run.Options{Rows: 10, InFlight: 2, Idempotency: true}, func(o run.RowResult) error {
		switch {
		case o.IsNotSent():
			notSent++
		case o.Err != nil:
			unknown++
		default:
			done++
		}
		return nil
	})
	if !errors.Is(err, gone) || unknown != 10 {
		t.Errorf("got %v and %d rows without an answer, want the loss and 10", err, unknown)
	}
	if done != len(s.rows) || done > 200 || done+unknown+notSent != 10_000 {
		t.Errorf("got %d outcomes for %d rows done, and %d not sent, want the same, soon an end, and the rest", done, len(s.rows), notSent)
	}
}

func TestAnErrorOfTheFileEndsTheRun(t *testing.T) {
	broken := errors.New("record too long")
	seq := func(yield func(*sheet.Row, error) bool) {
		for r := range rows(15) {
			if !yield(r, nil) {
				return
			}
		}
		yield(nil, broken)
	}
	n := 0
	err := run.Run(t.Context(), &memoryJob{}, seq, nil, run.Options{Rows: 10}, func(run.RowResult) error { n++; return nil })
	if !errors.Is(err, broken) || n != 10 {
		t.Errorf("got %v after %d rows, want the error of the file after the first batch", err, n)
	}
}
