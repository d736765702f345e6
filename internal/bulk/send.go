package bulk

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"ativa/internal/api"
	"ativa/internal/client"
)

const (
	// maxRetries bounds how often a batch is read back and sent again in one run.
	maxRetries = 3
	// maxTimeoutHalvings bounds how often a batch is halved because no answer came in
	// time: a server that never answers must not be asked for every row.
	maxTimeoutHalvings = 2
)

// wholeRefusal is an error of a request as a whole: sending parts of it is no use.
type wholeRefusal struct{ err error }

func (r *wholeRefusal) Error() string { return r.err.Error() }
func (r *wholeRefusal) Unwrap() error { return r.err }

// sendBatch sends one batch, with its lines in the journal before and after.
func (r *run) sendBatch(ctx context.Context, b *batch) []RowResult {
	results := r.results(ctx, b)
	outcomes := make([]RowResult, len(b.rows))
	for i, row := range b.rows {
		outcomes[i] = RowResult{Row: row, Result: results[i]}
	}
	return outcomes
}

func (r *run) results(ctx context.Context, b *batch) []Result {
	out := Batch{Rows: b.rows, Known: b.known, Key: b.key}
	var results []Result
	switch {
	case b.sent && !r.options.Idempotency:
		results = r.readBackAndResend(ctx, out, errNoResult, maxRetries)
	default:
		if err := r.journal.writeBegun(b); err != nil {
			return allErrors(len(b.rows), err)
		}
		results = r.attempt(ctx, out, maxRetries)
	}
	for i := range results {
		if results[i].Err != nil {
			return results // the batch stays open, and is sent again by the next run
		}
	}
	if err := r.journal.writeDone(b, results); err != nil {
		return allErrors(len(b.rows), err)
	}
	return results
}

var errNoResult = errors.New("an earlier run sent the batch and did not note an answer")

// attempt sends the batch, and makes smaller ones of it where that helps. Keys
// of parts follow from the key of the whole, so that the next run finds them.
func (r *run) attempt(ctx context.Context, b Batch, left int) []Result {
	results, err := r.job.Send(ctx, b)
	switch {
	case err == nil:
		r.countFailures(results)
		return results
	case isKeyReused(err) && left > 0:
		// The rows are no longer as the earlier run sent them under this key:
		// a product got another id, a row was found invalid since.
		b.Key += "r"
		return r.attemptUnlessStopped(ctx, b, left-1)
	case !r.options.Idempotency && client.MayHaveEffect(err):
		return r.readBackAndResend(ctx, b, err, left)
	case splitHelps(err, b):
		return r.sendHalves(ctx, b)
	}
	if e, ok := refusedRow(err); ok && len(b.Rows) == 1 {
		results := []Result{failed(e.Code, "", e.Message)}
		r.countFailures(results)
		return results
	}
	return allErrors(len(b.Rows), err)
}

// attemptUnlessStopped is another attempt, unless the run has ended meanwhile.
func (r *run) attemptUnlessStopped(ctx context.Context, b Batch, left int) []Result {
	if r.stopped.Err() != nil {
		return allErrors(len(b.Rows), errNotSent)
	}
	return r.attempt(ctx, b, left)
}

func (r *run) sendHalves(ctx context.Context, b Batch) []Result {
	half := len(b.Rows) / 2
	first := Batch{Rows: b.Rows[:half], Known: b.Known[:half], Key: b.Key + ".0", depth: b.depth + 1}
	second := Batch{Rows: b.Rows[half:], Known: b.Known[half:], Key: b.Key + ".1", depth: b.depth + 1}
	results := r.attemptUnlessStopped(ctx, first, maxRetries)
	for i := range results {
		if results[i].Err != nil { // the second would fare no better
			return append(results, allErrors(len(second.Rows), errNotSent)...)
		}
	}
	return append(results, r.attemptUnlessStopped(ctx, second, maxRetries)...)
}

// readBackAndResend reads back what became of a batch without an answer, and sends what
// is missing.
func (r *run) readBackAndResend(ctx context.Context, b Batch, why error, left int) []Result {
	results, err := r.job.ReadBack(ctx, b)
	if err != nil {
		return allErrors(len(b.Rows), err)
	}
	rest := Batch{Key: b.Key + "." + strconv.Itoa(left), depth: b.depth}
	var places []int
	for i, result := range results {
		if result.Kind == "" {
			places = append(places, i)
			rest.Rows, rest.Known = append(rest.Rows, b.Rows[i]), append(rest.Known, b.Known[i])
		}
	}
	r.countFailures(results)
	var again []Result
	switch {
	case len(places) == 0:
		return results
	case left == 0:
		again = allErrors(len(places), why)
	case splitHelps(why, rest):
		again = r.sendHalves(ctx, rest)
	default:
		again = r.attemptUnlessStopped(ctx, rest, left-1)
	}
	for n, i := range places {
		results[i] = again[n]
	}
	return results
}

// splitHelps tells that smaller batches may pass: it was too large, took too
// long, or one of its rows was refused without saying which.
func splitHelps(err error, b Batch) bool {
	if len(b.Rows) < 2 {
		return false
	}
	if client.IsTimeout(err) {
		return b.depth < maxTimeoutHalvings
	}
	if e, ok := errors.AsType[*client.Error](err); ok && e.Status == http.StatusRequestEntityTooLarge {
		return true
	}
	_, refused := refusedRow(err)
	return refused
}

// refusedRow tells an answer that refuses what was sent, for reasons that may
// lie in a single row.
func refusedRow(err error) (*client.Error, bool) {
	if _, whole := errors.AsType[*wholeRefusal](err); whole {
		return nil, false
	}
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return nil, false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		return e, !e.Retryable && e.Code != api.CodeRequestInProgress
	}
	return nil, false
}

func isKeyReused(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Code == api.CodeIdempotencyKeyReused
}
