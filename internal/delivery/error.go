package delivery

import "time"

// PermanentError marks a failure that another attempt would not mend.
type PermanentError struct{ Err error }

// Error returns the cause's message.
func (p *PermanentError) Error() string { return p.Err.Error() }

// Unwrap returns the cause.
func (p *PermanentError) Unwrap() error { return p.Err }

// TemporaryError is a failure after which another attempt is worth it.
type TemporaryError struct {
	Err             error
	DestinationDown bool          // the destination as a whole does not work, not only this errand
	RetryAfter      time.Duration // how long the destination asked to wait; 0: it did not
}

// Error returns the cause's message.
func (f *TemporaryError) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *TemporaryError) Unwrap() error { return f.Err }

// backoff is how long a failed delivery waits after its nth failure, from 0.
func backoff(n int) time.Duration {
	return min(time.Hour, 5*time.Second<<min(n, 12))
}

// callbackRetryDelay is how long a callback waits after its nth failure, from 0;
// false after the last (decisions.md 8).
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
