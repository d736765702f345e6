package run

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
)

const (
	maxRetries = 3 // bounds how often a run sends a batch again
	// maxTimeoutHalvings bounds how often a batch is halved after a time-out: a
	// server that never answers must not be asked for every row.
	maxTimeoutHalvings = 2
	// keyLifetime is how long a server keeps an idempotency key (decisions.md 5), less the time that
	// the requests of a batch may take.
	keyLifetime = 7*24*time.Hour - time.Hour
)

// wholeRefusal is the refusal of a whole request. A smaller batch would be refused, too.
type wholeRefusal struct{ error }

func (r *wholeRefusal) Unwrap() error { return r.error }

// errNoResult is the reason for reading back a batch of an earlier run.
var errNoResult = errors.New("an earlier run sent the batch and did not note an answer")

// sendBatch sends the batch and records it in the journal before and after. A batch with a row
// without a result is not recorded as done: the next run sends it again or, if the server does not
// have its key, the rows without a result.
func (r *run) sendBatch(ctx context.Context, b *pendingBatch) []Result {
	if err := r.journal.writeBegun(b); err != nil {
		return b.errorResults(err)
	}
	var results []Result
	if b.unclear && !b.idempotency {
		results = r.resumeWithoutKey(ctx, b)
	} else {
		results = r.attempt(ctx, b.Batch, maxRetries)
	}
	done := &batchDone{Batch: b.number, Results: groupByResult(b, results), Partial: hasError(results), Unsent: unsentLines(b, results)}
	if done.Results == nil && done.Unsent == nil {
		return results
	}
	if err := r.journal.append(record{Done: done}); err != nil {
		b.unclear = b.unclear || done.Unsent.count() < len(b.Rows)
		return b.errorResults(err)
	}
	return results
}

// resumeWithoutKey returns the results that an earlier run recorded. It reads back the other rows, and
// sends those that the server has not processed.
func (r *run) resumeWithoutKey(ctx context.Context, b *pendingBatch) []Result {
	results, rest := r.journal.results(b.Rows), b.Batch
	rest.Rows, rest.Known = nil, nil
	var open []int
	for i, row := range b.Rows {
		if results[i].Kind == "" {
			open = append(open, i)
			rest.Rows, rest.Known = append(rest.Rows, row), append(rest.Known, b.Known[i])
		}
	}
	if len(open) > 0 { // else the rows without a result are invalid now
		for n, result := range r.readBackAndResend(ctx, rest, errNoResult, maxRetries) {
			results[open[n]] = result
		}
	}
	return results
}

// attempt sends the batch, in smaller batches if that helps. Their keys derive from the key of the
// batch, so that the next run uses the same ones.
func (r *run) attempt(ctx context.Context, b Batch, retries int) []Result {
	if r.journal.wasHalved(b) {
		return r.sendHalves(ctx, b)
	}
	if known := r.journal.results(b.Rows); !slices.ContainsFunc(known, func(r Result) bool { return r.Kind == "" }) {
		return known
	}
	results, err := r.job.Send(ctx, b)
	b.unclear = b.unclear || results != nil || client.MayHaveEffect(err)
	switch {
	case err == nil:
		r.countFailures(results)
		return results
	case client.HasCode(err, api.CodeIdempotencyKeyReused) && retries > 0:
		// The rows differ from those that the earlier run sent with this key: a
		// product has another id now, or a row has become invalid.
		b.Key += "r"
		return r.attemptUnlessStopped(ctx, b, retries-1)
	case b.idempotency && mayBeRunning(err, b, retries):
		// Under the same key the server returns the result of the batch. For smaller batches its
		// rows would exist already.
		return r.attemptUnlessStopped(ctx, b, retries-1)
	case !b.idempotency && client.MayHaveEffect(err):
		return r.readBackAndResend(ctx, b, err, retries)
	case results != nil: // sent again it would be carried out again
		return b.errorResults(err)
	case splitHelps(err, b):
		return r.sendHalves(ctx, b)
	}
	if e, ok := r.refusedRows(err, b); ok {
		results := slices.Repeat([]Result{refusal(e)}, len(b.Rows))
		r.countFailures(results)
		return results
	}
	return b.errorResults(err)
}

func (r *run) attemptUnlessStopped(ctx context.Context, b Batch, retries int) []Result {
	switch cause := b.stopCause(); {
	case cause != nil && b.unclear:
		return b.errorResults(&client.UnavailableError{Sent: true, Unknown: true, Err: cause})
	case cause != nil:
		return b.errorResults(cause)
	}
	return r.attempt(ctx, b, retries)
}

func (r *run) sendHalves(ctx context.Context, b Batch) []Result {
	if err := r.journal.append(record{Halved: b.Key}); err != nil {
		return b.errorResults(err)
	}
	middle := len(b.Rows) / 2
	first, second := b.slice(0, middle), b.slice(middle, len(b.Rows))
	first.Key, second.Key = b.Key+".0", b.Key+".1"
	if r.journal.wasHalved(b) { // this run has not sent the halves together
		first.unclear, second.unclear = r.journal.wereSent(first.Rows), r.journal.wereSent(second.Rows)
	}
	results := r.attemptUnlessStopped(ctx, first, maxRetries)
	if hasError(results) { // the second half would meet the same error
		return append(results, second.errorResults(errStopped)...)
	}
	return append(results, r.attemptUnlessStopped(ctx, second, maxRetries)...)
}

// slice returns a part of the batch. The caller gives it a key of its own.
func (b Batch) slice(from, to int) Batch {
	b.Rows, b.Known, b.depth = b.Rows[from:to], b.Known[from:to], b.depth+1
	return b
}

// readBackAndResend finds out which rows of an unanswered batch were processed and sends the
// others again. cause is why there is no answer.
func (r *run) readBackAndResend(ctx context.Context, b Batch, cause error, retries int) []Result {
	results, err := r.job.ReadBack(ctx, b)
	if err != nil {
		if client.MayHaveEffect(cause) {
			err = errors.Join(cause, err)
		}
		return errorResults(len(b.Rows), err)
	}
	rest := Batch{Key: b.Key + "." + strconv.Itoa(retries), idempotency: r.options.Idempotency, begun: b.begun, depth: b.depth, stopCause: b.stopCause}
	var missing []int
	for i, result := range results {
		if result.Code == codeNoAnswer {
			results[i].Cause = cause
		}
		if result.Kind == "" && result.Err == nil {
			missing = append(missing, i)
			rest.Rows, rest.Known = append(rest.Rows, b.Rows[i]), append(rest.Known, b.Known[i])
		}
	}
	r.countFailures(results)
	var resent []Result
	switch {
	case len(missing) == 0:
		return results
	case retries == 0:
		resent = errorResults(len(missing), cause)
	case splitHelps(cause, rest):
		resent = r.sendHalves(ctx, rest)
	default:
		resent = r.attemptUnlessStopped(ctx, rest, retries-1)
	}
	for n, i := range missing {
		results[i] = resent[n]
	}
	return results
}

// mayBeRunning reports whether the batch is to be sent again unchanged because the server may
// still be processing it: the server says so, or it did not answer in time for the first time.
func mayBeRunning(err error, b Batch, retries int) bool {
	if _, answered := errors.AsType[*client.Error](err); answered {
		return client.HasCode(err, api.CodeRequestInProgress) && retries > 0
	}
	return client.IsTimeout(err) && b.depth == 0 && retries == maxRetries
}

// splitHelps reports whether smaller batches may succeed: the batch was too
// large, took too long, or was refused without naming the row.
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

// refusedRows returns the refusal that is the result of the rows. Other errors end the run.
func (r *run) refusedRows(err error, b Batch) (*client.Error, bool) {
	if e, ok := refusedRow(err); ok {
		return e, len(b.Rows) == 1
	}
	e, ok := refused(err)
	_, whole := errors.AsType[*wholeRefusal](err)
	missing := !whole && r.job.Singly() && ok && e.Kind() == client.KindNotFound
	return e, ok && (missing || whole && r.options.planID != "")
}

// refusedRow returns the refusal of a request if its reason may be in a single row.
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
		return e, !e.Retryable
	}
	return nil, false
}

// refused returns the error of a request that the server refused: sending it again is useless.
func refused(err error) (*client.Error, bool) {
	e, ok := errors.AsType[*client.Error](err)
	return e, ok && (e.Kind() == client.KindRefused || e.Kind() == client.KindNotFound)
}
