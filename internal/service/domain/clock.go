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
