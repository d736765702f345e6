package bulk

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"golang.org/x/time/rate"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/csvfile"
)

// Job is one kind of work on rows.
type Job interface {
	// Known tells that the subscriber of a row existed before the run. It is
	// only asked where the server does not tell by itself.
	Known(row *csvfile.Row) bool
	// Send does the batch in one request, and returns a result for each row.
	Send(ctx context.Context, b Batch) ([]Result, error)
	// ReadBack finds out what became of a batch that was sent without an
	// answer, on a server that keeps no keys. A result without a word means
	// that the row was not done.
	ReadBack(ctx context.Context, b Batch) ([]Result, error)
}

// Batch is what goes out in one request.
type Batch struct {
	Rows []*csvfile.Row
	// Known tells of each row whether its subscriber existed before the run.
	Known []bool
	// Key makes all tries of the batch one.
	Key string

	depth int // how often it was halved
}

// Options say how rows are sent; the zero value of each means its default.
type Options struct {
	Rows     int     // per request, at most api.MaxImportRows; default 1,000
	InFlight int     // requests under way at once; default 8
	PerSec   float64 // rows a second; default no limit
	// Keys tells that the server honours idempotency keys.
	Idempotency bool
	// TooMany tells that so many refused rows of this run end it, with a
	// *[TooManyFailures]. It is asked as soon as an answer comes, by several
	// goroutines at once. Nil means never.
	TooMany func(failed int) bool
	// Stopping is told at once why nothing further is sent while batches are
	// under way. It is called once at most, before Run returns. It may be nil.
	Stopping func(cause error)
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

func (o Options) limiter() *rate.Limiter {
	if o.PerSec <= 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	return rate.NewLimiter(rate.Limit(o.PerSec), o.Rows)
}

// maxBytes bounds the body of a request, well below what the server takes.
const maxBytes = api.MaxImportBytes / 2

// batch is a part of the rows with its outcomes, which are there once finished is closed.
type batch struct {
	rows     []*csvfile.Row
	number   int
	key      string
	known    []bool
	sent     bool // by an earlier run, which got no answer or did not note it
	outcomes []RowResult
	finished chan struct{}
}

// Run sends the rows and calls each for every one of them, in their order. What
// the journal says is done is not sent again, and what was sent without an
// answer goes out as the same batch under the same key.
//
// After an error of a batch or too many failures, or when ctx ends, nothing
// further is sent: no batch, and no part of one that is sent in parts. What is
// under way is finished and reported; rows that were not sent have no outcome.
// The first error is returned.
func Run(ctx context.Context, job Job, rows iter.Seq2[*csvfile.Row, error], j *Journal, o Options, each func(RowResult) error) error {
	o = o.withDefaults()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{job: job, journal: j, options: o, limiter: o.limiter(), underWay: make(chan *batch, o.InFlight-1), stopped: ctx, stop: cancel}
	defer r.watchStop(ctx)()
	var readErr error
	go func() {
		defer close(r.underWay)
		readErr = r.start(ctx, rows)
	}()
	var first error
	unsent := false
	stop := func(err error) {
		if err != nil && first == nil {
			first = err
			cancel(errStopped)
		}
	}
	for b := range r.underWay {
		<-b.finished
		for _, outcome := range b.outcomes {
			if errors.Is(outcome.Err, errNotSent) {
				unsent = true
				continue
			}
			stop(outcome.Err)
			stop(each(outcome))
		}
	}
	return r.runError(first, readErr, unsent)
}

// run is the state of Run.
type run struct {
	job      Job
	journal  *Journal
	options  Options
	limiter  *rate.Limiter
	underWay chan *batch

	stopped  context.Context // ends when nothing further may be sent
	stop     context.CancelCauseFunc
	failures atomic.Int64 // refused rows
	active   atomic.Int64 // batches that are being sent
}

// start cuts batches and sends each in a goroutine of its own; the channel's
// room bounds how many are under way.
func (r *run) start(ctx context.Context, rows iter.Seq2[*csvfile.Row, error]) error {
	c := cutter{options: r.options}
	if r.journal != nil {
		c.plan = r.journal.earlier
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if ready := c.add(row); ready != nil {
			if err := r.launch(ctx, ready); err != nil {
				return err
			}
		}
	}
	if last := c.take(); last != nil {
		return r.launch(ctx, last)
	}
	return nil
}

func (r *run) launch(ctx context.Context, p *part) error {
	b := &batch{rows: p.rows, finished: make(chan struct{})}
	if !p.isDone() {
		if err := r.limiter.WaitN(ctx, min(len(p.rows), r.options.Rows)); err != nil && ctx.Err() == nil {
			return err
		}
	}
	select {
	case r.underWay <- b:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ctx.Err() != nil { // both were ready
		close(b.finished)
		return context.Cause(ctx)
	}
	if p.isDone() {
		b.outcomes = p.outcomes()
		close(b.finished)
		return nil
	}
	r.identify(b, p)
	r.active.Add(1)
	go func() {
		defer close(b.finished)
		defer r.active.Add(-1)
		// What was started is finished, so that its outcome is known.
		b.outcomes = r.sendBatch(context.WithoutCancel(ctx), b)
	}()
	return nil
}

// identify gives the batch its number and key: those of the earlier run, or new ones.
func (r *run) identify(b *batch, p *part) {
	b.known = make([]bool, len(b.rows))
	if p.planned != nil {
		b.number, b.key, b.sent = p.planned.Batch, p.planned.Key, true
		for i, row := range b.rows {
			b.known[i] = p.planned.Known.has(row.Line)
		}
		return
	}
	b.number, b.key = r.journal.nextNumber(), client.NewIdempotencyKey()
	for i, row := range b.rows {
		b.known[i] = r.job.Known(row)
	}
}
