package delivery

import (
	"errors"
	"time"
)

// PermanentError is a failure that every further attempt would repeat.
type PermanentError struct{ Err error }

// Error returns the cause's message.
func (p *PermanentError) Error() string { return p.Err.Error() }

// Unwrap returns the cause.
func (p *PermanentError) Unwrap() error { return p.Err }

// isPermanent reports whether err is a [PermanentError].
func isPermanent(err error) bool {
	_, ok := errors.AsType[*PermanentError](err)
	return ok
}

// TemporaryError is a failure after which another attempt may succeed.
type TemporaryError struct {
	Err             error
	DestinationDown bool          // no delivery to the destination would succeed now
	RetryAfter      time.Duration // how long the destination asked to wait; 0 if it did not
}

// Error returns the cause's message.
func (f *TemporaryError) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *TemporaryError) Unwrap() error { return f.Err }

// backoff returns the wait after n+1 failed attempts.
func backoff(n int) time.Duration {
	return min(time.Hour, 5*time.Second<<min(n, 12))
}

// callbackRetryDelay returns the wait after n+1 failed attempts at a callback,
// and false after the last (decisions.md 8).
func callbackRetryDelay(n int) (time.Duration, bool) {
	schedule := [...]time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	if n >= len(schedule) {
		return 0, false
	}
	return schedule[n], true
}
