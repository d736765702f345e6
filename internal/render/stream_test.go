package render_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"syscall"
	"testing"

	"ativa/internal/render"
	"ativa/internal/system"
)

// lineCounter counts the lines that have arrived, and keeps the first of them.
type lineCounter struct {
	lines int
	first []byte
}

func (c *lineCounter) Write(b []byte) (int, error) {
	if c.lines < 2 {
		c.first = append(c.first, b...)
	}
	c.lines += bytes.Count(b, []byte{'\n'})
	return len(b), nil
}

// A list is written while it is read: the first row before the second is asked for, except in a
// table, which measures rows.
func TestListsOfAnyLengthHoldBackNoMoreThanAFewHundredRows(t *testing.T) {
	const rows = 2000
	cases := map[string]render.Options{"jq": {Format: render.FormatJSONL, JQ: ".name"}, "live": {Screen: screen(), Live: true}}
	held := map[string]int{"jq": 100}
	for _, format := range render.Formats() {
		cases[format], held[format] = render.Options{Format: format}, 100
	}
	held["table"] = 400
	for name, o := range cases {
		t.Run(name, func(t *testing.T) {
			var out lineCounter
			most, one := 0, people()[0]
			err := listTo(t.Context(), &out, o, func(yield func(person, error) bool) {
				for i := range rows {
					most = max(most, i-out.lines)
					if i == 1 && name != "table" && !bytes.Contains(out.first, []byte(one.Name)) && !bytes.Contains(out.first, []byte(one.Document)) {
						t.Errorf("got %q before the second row is asked for, want the first row", out.first)
					}
					if !yield(one, nil) {
						return
					}
				}
			})
			if err != nil || out.lines < rows {
				t.Fatalf("got %d lines, %v", out.lines, err)
			}
			if want := held[name]; most > want {
				t.Errorf("got %d rows held back, want at most %d", most, want)
			}
		})
	}
}

// Several processes that share a pipe, as xargs -P starts them, do not mix short documents.
func TestResultsThatFitInAPipeAreOneWrite(t *testing.T) {
	for _, format := range render.Formats() {
		writes := 0
		counting := writerFunc(func(b []byte) (int, error) {
			writes++
			return len(b), nil
		})
		p, err := render.New(counting, render.Options{Format: format}, personSchema())
		must(t, err)
		must(t, p.Results(t.Context(), nil, people()))
		must(t, p.Stored(t.Context(), sequence(people(), nil)))
		if writes != 2 {
			t.Errorf("%s: got %d writes of two lists, want 2", format, writes)
		}
	}
}

// writerFunc is a function as a writer.
type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestABrokenPipeEndsTheListAndIsKnownAsOne(t *testing.T) {
	closed := writerFunc(func([]byte) (int, error) { return 0, &os.PathError{Op: "write", Err: syscall.EPIPE} })
	for _, format := range render.Formats() {
		asked := 0
		err := listTo(t.Context(), closed, render.Options{Format: format}, endless(&asked))
		if !system.IsBrokenPipe(err) || asked > 400 {
			t.Errorf("%s: got %v after %d rows, want a broken pipe at once", format, err, asked)
		}
	}
}

func TestAnEndlessFilterEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancelling := writerFunc(func(b []byte) (int, error) {
		cancel()
		return len(b), nil
	})
	if err := listTo(ctx, cancelling, render.Options{JQ: "repeat(1)"}, sequence(people(), nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}
