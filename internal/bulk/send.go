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
	// recoveries bounds how often a batch is read back and sent again in one run.
	recoveries = 3
	// slowHalvings bounds how often a batch is halved because no answer came in
	// time: a server that never answers must not be asked for every row.
	slowHalvings = 2
)

// refusal is an error of a request as a whole: sending parts of it is no use.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// do sends one batch, with its lines in the journal before and after.
func (r *run) do(ctx context.Context, b *batch) []Outcome {
	results := r.results(ctx, b)
	outcomes := make([]Outcome, len(b.rows))
	for i, row := range b.rows {
		outcomes[i] = Outcome{Row: row, Result: results[i]}
	}
	return outcomes
}

func (r *run) results(ctx context.Context, b *batch) []Result {
	out := Batch{Rows: b.rows, Known: b.known, Key: b.key}
	var results []Result
	switch {
	case b.sent && !r.options.Keys:
		results = r.recover(ctx, out, errNotNoted, recoveries)
	default:
		if err := r.journal.begin(b); err != nil {
			return allFailed(len(b.rows), err)
		}
		results = r.attempt(ctx, out, recoveries)
	}
	for i := range results {
		if results[i].Err != nil {
			return results // the batch stays open, and is sent again by the next run
		}
	}
	if err := r.journal.done(b, results); err != nil {
		return allFailed(len(b.rows), err)
	}
	return results
}

var errNotNoted = errors.New("an earlier run sent the batch and did not note an answer")

// attempt sends the batch, and makes smaller ones of it where that helps. Keys
// of parts follow from the key of the whole, so that the next run finds them.
func (r *run) attempt(ctx context.Context, b Batch, left int) []Result {
	results, err := r.job.Send(ctx, b)
	switch {
	case err == nil:
		r.count(results)
		return results
	case isReused(err) && left > 0:
		// The rows are no longer as the earlier run sent them under this key:
		// a product got another id, a row was found invalid since.
		b.Key += "r"
		return r.further(ctx, b, left-1)
	case !r.options.Keys && client.MayHaveEffect(err):
		return r.recover(ctx, b, err, left)
	case divides(err, b):
		return r.halves(ctx, b)
	}
	if e, ok := refusedRow(err); ok && len(b.Rows) == 1 {
		results := []Result{failed(e.Code, "", e.Message)}
		r.count(results)
		return results
	}
	return allFailed(len(b.Rows), err)
}

// further is another attempt, unless the run has ended meanwhile.
func (r *run) further(ctx context.Context, b Batch, left int) []Result {
	if r.stopped.Err() != nil {
		return allFailed(len(b.Rows), errNotSent)
	}
	return r.attempt(ctx, b, left)
}

func (r *run) halves(ctx context.Context, b Batch) []Result {
	half := len(b.Rows) / 2
	first := Batch{Rows: b.Rows[:half], Known: b.Known[:half], Key: b.Key + ".0", depth: b.depth + 1}
	second := Batch{Rows: b.Rows[half:], Known: b.Known[half:], Key: b.Key + ".1", depth: b.depth + 1}
	results := r.further(ctx, first, recoveries)
	for i := range results {
		if results[i].Err != nil { // the second would fare no better
			return append(results, allFailed(len(second.Rows), errNotSent)...)
		}
	}
	return append(results, r.further(ctx, second, recoveries)...)
}

// recover reads back what became of a batch without an answer, and sends what
// is missing.
func (r *run) recover(ctx context.Context, b Batch, why error, left int) []Result {
	results, err := r.job.ReadBack(ctx, b)
	if err != nil {
		return allFailed(len(b.Rows), err)
	}
	rest := Batch{Key: b.Key + "." + strconv.Itoa(left), depth: b.depth}
	var places []int
	for i, result := range results {
		if result.Word == "" {
			places = append(places, i)
			rest.Rows, rest.Known = append(rest.Rows, b.Rows[i]), append(rest.Known, b.Known[i])
		}
	}
	r.count(results)
	var again []Result
	switch {
	case len(places) == 0:
		return results
	case left == 0:
		again = allFailed(len(places), why)
	case divides(why, rest):
		again = r.halves(ctx, rest)
	default:
		again = r.further(ctx, rest, left-1)
	}
	for n, i := range places {
		results[i] = again[n]
	}
	return results
}

// divides tells that smaller batches may pass: it was too large, took too
// long, or one of its rows was refused without saying which.
func divides(err error, b Batch) bool {
	if len(b.Rows) < 2 {
		return false
	}
	if client.IsTimeout(err) {
		return b.depth < slowHalvings
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
	if _, whole := errors.AsType[*refusal](err); whole {
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

func isReused(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Code == api.CodeIdempotencyKeyReused
}
