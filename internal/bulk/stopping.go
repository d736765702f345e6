package bulk

import (
	"context"
	"errors"
	"fmt"

	"ativa/internal/api"
)

// TooManyFailuresError is the error of a run that [Options.TooMany] ended.
type TooManyFailuresError struct{ Failed int }

// Error counts them.
func (t *TooManyFailuresError) Error() string { return fmt.Sprintf("%d rows were refused", t.Failed) }

// errStopped ends a run after the error of a batch.
var errStopped = errors.New("stopped after an error")

// errNotSent marks rows of a batch that is sent in parts, when the run ended
// before their part went out.
var errNotSent = errors.New("not sent")

// countFailures adds refused rows to those of the run, and ends it when they are too many.
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
	if failed := int(r.failures.Add(int64(n))); r.options.TooMany(failed) {
		r.stop(&TooManyFailuresError{failed})
	}
}

// watchStop tells Options.Stopping when ctx ends while batches are under way.
// The function that it returns waits for that.
func (r *run) watchStop(ctx context.Context) (wait func()) {
	told := make(chan struct{})
	unused := context.AfterFunc(ctx, func() {
		defer close(told)
		cause, others := context.Cause(ctx), r.active.Load()
		if _, ok := errors.AsType[*TooManyFailuresError](cause); ok {
			others-- // the batch that ended the run sends nothing further
		}
		if r.options.Stopping != nil && others > 0 {
			r.options.Stopping(cause)
		}
	})
	return func() {
		if !unused() {
			<-told
		}
	}
}

// runError is the error of a run whose batches are all finished. first is the first
// error of a batch, readErr that of the rows; unsent tells that parts of
// batches were not sent.
func (r *run) runError(first, readErr error, unsent bool) error {
	cause := context.Cause(r.stopped)
	_, tooMany := errors.AsType[*TooManyFailuresError](cause)
	switch {
	case first != nil:
		return first
	case unsent || tooMany:
		return cause
	case errors.Is(readErr, errStopped):
		return nil
	}
	return readErr
}
