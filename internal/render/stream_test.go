package render_test

import (
	"bytes"
	"context"
	"errors"
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
	cases := map[string]struct {
		o    render.Options
		held int
	}{
		"csv":   {render.Options{Format: render.FormatCSV}, 100},
		"tsv":   {render.Options{}, 100},
		"jsonl": {render.Options{Format: render.FormatJSONL}, 100},
		"jq":    {render.Options{Format: render.FormatJSONL, JQ: ".name"}, 100},
		"json":  {render.Options{Format: render.FormatJSON}, 100},
		"yaml":  {render.Options{Format: render.FormatYAML}, 100},
		"name":  {render.Options{Format: render.FormatName}, 100},
		"table": {render.Options{Format: render.FormatTable}, 400},
		"live":  {render.Options{Screen: screen(), Live: true}, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var out lineCounter
			p, err := render.New(&out, c.o, personSchema())
			must(t, err)
			most, one := 0, people()[0]
			err = p.List(t.Context(), func(yield func(person, error) bool) {
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
			if most > c.held {
				t.Errorf("got %d rows held back, want at most %d", most, c.held)
			}
		})
	}
}

// closedReader is a pipe whose reader has closed it.
type closedReader struct{}

func (closedReader) Write([]byte) (int, error) { return 0, &writeError{syscall.EPIPE} }

type writeError struct{ err error }

func (e *writeError) Error() string { return "write: " + e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

func TestABrokenPipeEndsTheListAndIsKnownAsOne(t *testing.T) {
	for _, format := range render.Formats() {
		p, err := render.New(closedReader{}, render.Options{Format: format}, personSchema())
		must(t, err)
		asked := 0
		err = p.List(t.Context(), func(yield func(person, error) bool) {
			for asked = 0; asked < 10_000 && yield(people()[0], nil); asked++ {
			}
		})
		if !system.IsBrokenPipe(err) || asked > 400 {
			t.Errorf("%s: got %v after %d rows, want a broken pipe at once", format, err, asked)
		}
	}
	if system.IsBrokenPipe(errors.New("other")) || system.IsBrokenPipe(nil) {
		t.Error("got a broken pipe where there is none")
	}
}

// cancelling cancels a context at the first write to it.
type cancelling struct{ cancel context.CancelFunc }

func (c cancelling) Write(b []byte) (int, error) {
	c.cancel()
	return len(b), nil
}

func TestAnEndlessFilterEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := render.New(cancelling{cancel}, render.Options{JQ: "repeat(1)"}, personSchema())
	must(t, err)
	if err := p.List(ctx, sequence(people(), nil)); !errors.Is(err, ctx.Err()) {
		t.Errorf("got %v, want the context's error", err)
	}
}
