package run_test

import (
	"errors"
	"testing"

	"ativa/internal/run"
	"ativa/internal/sheet"
)

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
