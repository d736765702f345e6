package delivery

import "time"

const (
	failuresToOpen = 5               // in a row
	firstOpenTime  = 5 * time.Second // doubles each time
	maxOpenTime    = 5 * time.Minute
)

// circuitBreaker stops deliveries to a destination that fails. It opens after
// failuresToOpen failures in a row. When its time has passed, it lets one
// delivery pass as a probe, whose result closes it or opens it for longer. Its
// times are those of [time.Now] alone, whose monotonic reading a clock that is set
// does not change. The zero value is closed. It is not safe for concurrent use.
type circuitBreaker struct {
	failures int // in a row
	openings int // in a row
	until    time.Time
	probing  bool
}

// isOpen reports whether no delivery but the probe may pass.
func (c *circuitBreaker) isOpen() bool { return !c.until.IsZero() }

// remaining returns how long no probe may pass; not above 0 if one may.
func (c *circuitBreaker) remaining() time.Duration { return time.Until(c.until) }

func (c *circuitBreaker) recordSuccess() { *c = circuitBreaker{} }

// recordFailure counts a failure and opens the circuit if it is the last of
// failuresToOpen or that of the probe. Failures of deliveries that were in
// progress when the circuit opened change nothing. The open time is multiplied
// by jitter, which is at least 1.
func (c *circuitBreaker) recordFailure(jitter float64) {
	c.failures++
	if !c.probing && (c.isOpen() || c.failures < failuresToOpen) {
		return
	}
	wait := min(maxOpenTime, firstOpenTime<<min(c.openings, 10))
	c.openings++
	c.until, c.probing = time.Now().Add(time.Duration(float64(wait)*jitter)), false
}

// hold opens the circuit for at least the time that the destination asked for.
func (c *circuitBreaker) hold(wait time.Duration) {
	if c.remaining() < wait {
		c.until, c.probing = time.Now().Add(wait), false
	}
}

// cancelProbe lets another delivery be the probe, because the admitted one was
// not attempted.
func (c *circuitBreaker) cancelProbe() { c.probing = false }
