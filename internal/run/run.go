// Package run sends many rows so that none is lost or processed twice
// (cli.md, Import, points 3 and 4). It decides how rows are cut into batches,
// how many requests run at once and how many rows go out per second, what
// follows when a batch is too large, refused as a whole or not answered, what
// the journal holds, how an interrupted run is resumed, and in which order
// results are reported.
//
// It refuses to know how a spreadsheet is read, how a request travels and what
// is printed.
package run

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/sheet"
)

// Job is one kind of work on rows. Its methods are safe for concurrent use.
type Job interface {
	// Send sends the batch and returns one result per row. Results returned with an error mean
	// that the server has carried out a request, and that a further one failed.
	Send(ctx context.Context, b Batch) ([]Result, error)
	// ReadBack returns the results of a batch that got no answer from a server without idempotency
	// keys. A result without a kind means that the row was not processed.
	ReadBack(ctx context.Context, b Batch) ([]Result, error)
	// Singly reports whether each request takes a single row.
	Singly() bool
}

// phase is a part of a run. All its rows have a result before the next phase begins.
type phase struct {
	job  Job
	rows iter.Seq2[*sheet.Row, error]
}

// Batch is the rows of one request.
type Batch struct {
	Rows  []*sheet.Row
	Known []bool // reports for each row whether its subscriber existed before the run
	Key   string // the idempotency key

	idempotency bool      // the server honours the key
	begun       time.Time // when the batch was first sent, by this machine's clock
	expired     bool      // the server may have forgotten the key since then
	depth       int       // how often the batch was halved
	unclear     bool      // it was sent, and its outcome is unknown
	// stopCause returns why the run has ended, nil if it has not. A job that sends several requests
	// must not send further ones then.
	stopCause func() error
}

// errorResults returns the results of a batch that ended with err.
func (b Batch) errorResults(err error) []Result {
	if !b.unclear {
		err = &notSentError{err}
	}
	return errorResults(len(b.Rows), err)
}

// Options say how rows are sent. The zero value of a field means its default.
type Options struct {
	Rows        int     // rows per request, at most api.MaxImportRows; default 1,000
	InFlight    int     // requests at once; default 8
	PerSec      float64 // rows per second; default no limit
	Idempotency bool    // the server honours idempotency keys
	// Existing holds the documents of the subscribers that existed before the run. Only the import on a
	// server without idempotency keys needs it.
	Existing DocumentSet
	// TooMany reports whether the number of refused rows ends the run, with
	// [ErrTooManyFailures]. It is called after each response, concurrently. Nil means never.
	TooMany func(failed int) bool

	// planID is set for a plan. Idempotency keys derive from it and the first line of a batch; by
	// default they are random. The refusal of a whole request is the result of its rows then: other
	// products and subscribers of the plan continue.
	planID string
}

// MaxInFlight bounds [Options.InFlight].
const MaxInFlight = 64

// singlesPerBatch is how many single-row requests may replace one batch request.
const singlesPerBatch = 4

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

// forJob returns the options for the requests of a job.
func (o Options) forJob(j Job) Options {
	if j.Singly() {
		o.Rows, o.InFlight = 1, min(o.InFlight*singlesPerBatch, MaxInFlight)
	}
	return o
}

// newKey returns the idempotency key of a new batch.
func (o Options) newKey(b Batch) string {
	if o.planID == "" {
		return client.NewIdempotencyKey()
	}
	return o.planID + "." + strconv.Itoa(b.Rows[0].Line)
}

func (o Options) limiter() *rate.Limiter {
	if o.PerSec <= 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	return rate.NewLimiter(rate.Limit(o.PerSec), o.Rows)
}

// ErrTooManyFailures is the error of a run that [Options.TooMany] ended before all rows were sent.
var ErrTooManyFailures = errors.New("too many rows were refused")

// errStopped is the cause of the end of a run after the error of a batch.
var errStopped = errors.New("stopped after an error")

// Run sends the rows that are OK and calls each for every row, in their order; rows that are not
// OK have an empty result. Rows that have a result in the journal are not sent again. A batch that
// an earlier run sent without noting a result is sent as the same batch with the same key, or read
// back first if the server does not have the key any more.
//
// After the error of a batch, after too many failures and when ctx ends, no further request is
// sent. Running requests are finished; the rest of the rows are not sent, see
// [Result.IsNotSent]. An error of rows ends the run likewise: rows may go on behind it. Run returns
// the first error.
func Run(ctx context.Context, job Job, rows iter.Seq2[*sheet.Row, error], j *Journal, o Options, each func(RowResult) error) error {
	return runPhases(ctx, func(yield func(phase) bool) { yield(phase{job, rows}) }, j, o, each)
}

// runPhases is [Run] for rows that are sent one phase after the other. The lines of a phase follow
// those of the phases before it.
func runPhases(ctx context.Context, phases iter.Seq[phase], j *Journal, o Options, each func(RowResult) error) error {
	o = o.withDefaults()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{journal: j, limiter: o.limiter(), stop: cancel}
	var first error
	for p := range phases {
		r.job, r.options = p.job, o.forJob(p.job)
		if err := r.runPhase(ctx, p.rows, each); first == nil {
			first = err
		}
	}
	return first
}

// One is [Run] for one document: a refusal is a result and no error, a sent request is finished
// even if ctx ends, and an unanswered request to a server without idempotency keys is
// read back.
func One(ctx context.Context, c *client.Client, job Job, document string) (result RowResult, err error) {
	result.Row = &sheet.Row{Line: 1}
	result.Row.Document = document
	keys, err := c.HasExtension(ctx, api.ExtIdempotency)
	if err != nil {
		return result, err
	}
	rows := func(yield func(*sheet.Row, error) bool) { yield(result.Row, nil) }
	err = Run(ctx, job, rows, nil, Options{Idempotency: keys}, func(r RowResult) error {
		result = r
		return nil
	})
	return result, err
}

// run is the state of runPhases.
type run struct {
	job      Job     // of the phase
	options  Options // of the phase
	journal  *Journal
	limiter  *rate.Limiter
	inFlight chan *pendingBatch // in order of rows
	stop     context.CancelCauseFunc
	failures atomic.Int64 // refused rows
}

// runPhase sends the rows of a phase. Its first error ends the run and is returned.
func (r *run) runPhase(ctx context.Context, rows iter.Seq2[*sheet.Row, error], each func(RowResult) error) error {
	r.inFlight = make(chan *pendingBatch, r.options.InFlight-1)
	var readErr error
	go func() {
		defer close(r.inFlight)
		readErr = r.start(ctx, rows)
	}()
	var first error
	stop := func(err error) {
		if err != nil && first == nil {
			first = err
			r.stop(errStopped)
		}
	}
	for b := range r.inFlight {
		<-b.finished
		for _, result := range b.results {
			stop(result.Err)
			stop(each(result))
		}
	}
	stop(readErr)
	return first
}

// start splits the rows into batches and sends each in its own goroutine. The capacity of the
// channel limits how many are sent at once.
func (r *run) start(ctx context.Context, rows iter.Seq2[*sheet.Row, error]) error {
	c := cutter{options: r.options, journal: r.journal}
	var first error
	for row, err := range rows {
		if err != nil {
			if first == nil {
				first = err
				r.stop(err)
			}
			continue
		}
		row.Trim() // it is in memory until it has a result
		if b := c.add(row); b != nil {
			r.launch(ctx, b)
		}
	}
	if last := c.cut(); last != nil {
		r.launch(ctx, last)
	}
	return first
}

func (r *run) launch(ctx context.Context, b *pendingBatch) {
	for left := len(b.Rows); left > 0 && !b.isDone(); left -= r.options.Rows { // an earlier batch may be larger
		if err := r.limiter.WaitN(ctx, min(left, r.options.Rows)); err != nil {
			r.stop(err) // unless ctx has ended
			break
		}
	}
	r.inFlight <- b
	b.unclear = b.wasSent()
	switch {
	case b.isDone():
		b.replay(r.journal)
		close(b.finished)
		return
	case ctx.Err() != nil:
		b.setResults(b.errorResults(context.Cause(ctx)))
		close(b.finished)
		return
	}
	r.identify(ctx, b)
	go func() {
		defer close(b.finished)
		// A request that was sent is finished, so that its result is known.
		b.setResults(r.sendBatch(client.Finish(ctx), b))
	}()
}

// identify gives the batch the number and key of the earlier run, or new ones.
func (r *run) identify(ctx context.Context, b *pendingBatch) {
	now := r.journal.now()
	b.Known, b.begun = make([]bool, len(b.Rows)), now
	if b.wasSent() {
		b.begun = b.earlier.At
		b.expired = now.Sub(b.begun) > keyLifetime
	}
	b.idempotency = r.options.Idempotency && !b.expired
	b.stopCause = func() error { return context.Cause(ctx) }
	if b.earlier != nil {
		b.number, b.Key = b.earlier.Batch, b.earlier.Key
		for i, row := range b.Rows {
			b.Known[i] = b.earlier.Known.has(row.Line)
		}
		return
	}
	b.number, b.Key = r.journal.nextNumber(), r.options.newKey(b.Batch)
	for i, row := range b.Rows {
		b.Known[i] = r.options.Existing.Has(row.Document)
	}
}

// countFailures adds the refused rows to those of the run, and ends the run if there are too many.
func (r *run) countFailures(results []Result) {
	n := 0
	for _, result := range results {
		if result.Kind == api.ResultFailed {
			n++
		}
	}
	if n == 0 || r.options.TooMany == nil {
		return
	}
	if r.options.TooMany(int(r.failures.Add(int64(n)))) {
		r.stop(ErrTooManyFailures)
	}
}
