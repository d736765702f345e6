package delivery

import "time"

const (
	failuresToOpen = 5               // in a row
	firstOpenTime  = 5 * time.Second // doubles each time
	maxOpenTime    = 5 * time.Minute
)

// circuitBreaker stops deliveries to a destination that fails. It opens after
// failuresToOpen failures in a row. When its time has passed, it lets one
// delivery pass as a probe, whose result closes it or opens it for longer. The
// zero value is closed. It is not safe for concurrent use.
type circuitBreaker struct {
	failures int // in a row
	openings int // in a row
	until    time.Time
	probing  bool
}

// isOpen reports whether no delivery but the probe may pass.
func (c *circuitBreaker) isOpen() bool { return !c.until.IsZero() }

// admit reports whether one delivery may pass now. If not, it returns when to
// ask again.
func (c *circuitBreaker) admit(now time.Time) (until time.Time, ok bool) {
	switch {
	case !c.isOpen():
		return time.Time{}, true
	case now.Before(c.until):
		return c.until, false
	case c.probing:
		return now.Add(time.Second), false
	}
	c.probing = true
	return time.Time{}, true
}

func (c *circuitBreaker) recordSuccess() { *c = circuitBreaker{} }

// recordFailure counts a failure and opens the circuit if it is the last of
// failuresToOpen or that of the probe. Failures of deliveries that were in
// progress when the circuit opened change nothing. The open time is multiplied
// by jitter, which is at least 1.
func (c *circuitBreaker) recordFailure(now time.Time, jitter float64) {
	c.failures++
	if c.isOpen() && !c.probing || c.failures < failuresToOpen {
		return
	}
	wait := min(maxOpenTime, firstOpenTime<<min(c.openings, 10))
	c.openings++
	c.until, c.probing = now.Add(time.Duration(float64(wait)*jitter)), false
}

// holdUntil opens the circuit at least until the given time, which the
// destination asked for.
func (c *circuitBreaker) holdUntil(until time.Time) {
	if until.After(c.until) {
		c.until, c.probing = until, false
	}
}

// cancelProbe lets another delivery be the probe, because the admitted one was
// not attempted.
func (c *circuitBreaker) cancelProbe() { c.probing = false }
