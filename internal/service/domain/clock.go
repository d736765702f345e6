package domain

import "time"

// Clock returns the current time. A nil Clock is time.Now.
type Clock func() time.Time

// Now returns the current time in UTC, truncated to the microseconds that the store and the API
// keep.
func (c Clock) Now() time.Time {
	if c == nil {
		c = time.Now
	}
	return c().UTC().Truncate(time.Microsecond)
}

// EarliestOf returns the earliest non-zero time, or the zero time if there is none.
func EarliestOf(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Lateness returns how long something has been due, or 0. A zero time is never due.
func Lateness(due, now time.Time) time.Duration {
	if due.IsZero() {
		return 0
	}
	return max(now.Sub(due), 0)
}
