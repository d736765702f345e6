package delivery

import "time"

const (
	failuresToOpen = 5               // failures in a row
	firstOpenTime  = 5 * time.Second // doubles with every break
	maxOpenTime    = 5 * time.Minute
)

// circuitBreaker leaves a destination alone that does not work. It opens after some
// failures in a row; when its time has passed, one errand is the probe that
// closes it or opens it for longer. The zero value is closed.
type circuitBreaker struct {
	failures int // in a row
	openings int // in a row
	until    time.Time
	probing  bool
}

// isOpen reports whether nothing may be delivered now but the probe.
func (c *circuitBreaker) isOpen() bool { return !c.until.IsZero() }

// admit asks for one errand: it may pass, or must wait until the given time.
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

// recordFailure counts a failure; jitter is at least 1. The answers of errands that
// were under way when the circuit opened are not news.
func (c *circuitBreaker) recordFailure(now time.Time, jitter float64) {
	c.failures++
	if c.isOpen() && !c.probing || c.failures < failuresToOpen {
		return
	}
	wait := min(maxOpenTime, firstOpenTime<<min(c.openings, 10))
	c.openings++
	c.until, c.probing = now.Add(time.Duration(float64(wait)*jitter)), false
}

// holdUntil keeps the circuit open at least until the given time, because the
// destination asked for it.
func (c *circuitBreaker) holdUntil(until time.Time) {
	if until.After(c.until) {
		c.until, c.probing = until, false
	}
}

// cancelProbe gives the probe's turn back when it was not delivered.
func (c *circuitBreaker) cancelProbe() { c.probing = false }
