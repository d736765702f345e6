package bulk

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/csvfile"
)

// Importer is what an import needs of a client.
type Importer interface {
	Import(ctx context.Context, rows []api.ImportRow, key string) (client.Answer[api.ImportAnswer], error)
}

// Options say how rows are sent; the zero value of each means its default.
type Options struct {
	Rows     int // per request, at most api.MaxImportRows; default 1,000
	InFlight int // requests under way at once; default 8
}

func (o Options) withDefaults() Options {
	if o.Rows <= 0 {
		o.Rows = 1000
	}
	o.Rows = min(o.Rows, api.MaxImportRows)
	if o.InFlight <= 0 {
		o.InFlight = 8
	}
	return o
}

// maxBytes bounds the body of a request, well below what the server takes.
const maxBytes = api.MaxImportBytes / 2

// Outcome is what became of one row. Err is set, and Result empty, when the
// batch of the row got no answer: whether it was done is not known then.
type Outcome struct {
	Row    *csvfile.Row
	Result api.ImportResult
	Err    error
}

// batch is a part of the rows with its outcomes, which are there once done is closed.
type batch struct {
	rows     []*csvfile.Row
	outcomes []Outcome
	done     chan struct{}
}

// Import sends the rows and calls each for every one of them, in their order.
// After an error of a batch no further ones are started; those under way are
// finished and reported, and the first error is returned. Every batch has an
// idempotency key of its own, so that a client may repeat it safely where the
// server honours keys.
func Import(ctx context.Context, to Importer, rows iter.Seq2[*csvfile.Row, error], o Options, each func(Outcome) error) error {
	o = o.withDefaults()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	underWay := make(chan *batch, o.InFlight-1)
	var readErr error
	go func() {
		defer close(underWay)
		readErr = start(ctx, to, rows, o, underWay)
	}()
	var first error
	for b := range underWay {
		<-b.done
		for _, outcome := range b.outcomes {
			if outcome.Err != nil && first == nil {
				first = outcome.Err
				cancel(errStopped)
			}
			if err := each(outcome); err != nil && first == nil {
				first = err
				cancel(errStopped)
			}
		}
	}
	if first == nil && !errors.Is(readErr, errStopped) {
		first = readErr
	}
	return first
}

var errStopped = errors.New("stopped after an error")

// start cuts batches and sends each in a goroutine of its own; the channel's
// room bounds how many are under way.
func start(ctx context.Context, to Importer, rows iter.Seq2[*csvfile.Row, error], o Options, underWay chan<- *batch) error {
	send := func(part []*csvfile.Row) error {
		b := &batch{rows: part, done: make(chan struct{})}
		select {
		case underWay <- b:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		go func() {
			defer close(b.done)
			// What was started is finished, so that its outcome is known.
			b.outcomes = sendRows(context.WithoutCancel(ctx), to, b.rows)
		}()
		return nil
	}
	var part []*csvfile.Row
	bytes := 0
	for row, err := range rows {
		if err != nil {
			return err
		}
		size := sizeOf(row)
		if len(part) == o.Rows || len(part) > 0 && bytes+size > maxBytes {
			if err := send(part); err != nil {
				return err
			}
			part, bytes = nil, 0
		}
		part, bytes = append(part, row), bytes+size
	}
	if len(part) == 0 {
		return nil
	}
	return send(part)
}

// sizeOf is at least the bytes of the row in a request, escapes included.
func sizeOf(r *csvfile.Row) int {
	return 200 + 6*(len(r.Name)+len(r.Email)+len(r.CustomerPlan)) + len(r.Phone) + 12*len(r.ProductsIDs)
}

// sendRows sends one batch. One that is too large for the server is halved.
func sendRows(ctx context.Context, to Importer, rows []*csvfile.Row) []Outcome {
	body := make([]api.ImportRow, len(rows))
	for i, r := range rows {
		body[i] = r.ImportRow
	}
	answer, err := to.Import(ctx, body, client.NewKey())
	if tooLarge(err) && len(rows) > 1 {
		half := len(rows) / 2
		return append(sendRows(ctx, to, rows[:half]), sendRows(ctx, to, rows[half:])...)
	}
	outcomes := make([]Outcome, len(rows))
	for i, r := range rows {
		outcomes[i] = Outcome{Row: r, Err: err}
	}
	if err != nil {
		return outcomes
	}
	if !answer.Detailed { // another server: it took the batch and says no more
		for i, r := range rows {
			outcomes[i].Result = api.ImportResult{Document: r.Document, Result: api.ResultSent}
		}
		return outcomes
	}
	for i := range outcomes {
		outcomes[i].Err = fmt.Errorf("the server's answer leaves out the row of line %d", rows[i].Line)
	}
	for _, result := range answer.Value.Results {
		if result.Index >= 0 && result.Index < len(outcomes) {
			outcomes[result.Index].Result, outcomes[result.Index].Err = result, nil
		}
	}
	return outcomes
}

func tooLarge(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Status == http.StatusRequestEntityTooLarge
}
