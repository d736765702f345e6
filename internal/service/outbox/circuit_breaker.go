package outbox

import "time"

const (
	failuresToOpen = 5               // consecutive
	firstOpenTime  = 5 * time.Second // doubles each time
	maxOpenTime    = 5 * time.Minute
)

// circuitBreaker stops deliveries to a failing destination. It opens after failuresToOpen
// consecutive failures. When its time has passed, it admits one delivery as a probe, whose result
// closes it or opens it for longer. It uses only [time.Now], whose monotonic reading is not
// affected by setting the clock. The zero value is closed. It is not safe for concurrent use.
type circuitBreaker struct {
	failures int // consecutive
	openings int // consecutive
	until    time.Time
}

// isOpen reports whether only a probe may pass.
func (c *circuitBreaker) isOpen() bool { return !c.until.IsZero() }

// remaining returns how long until a probe may pass; 0 or less if one may.
func (c *circuitBreaker) remaining() time.Duration { return time.Until(c.until) }

func (c *circuitBreaker) recordSuccess() { *c = circuitBreaker{} }

// recordFailure counts a failure. It opens the circuit if this was the last of failuresToOpen
// failures or the probe, and for at least the time that the destination asked for. Failures of
// deliveries that were in progress when the circuit opened do not extend its time, which is
// multiplied by jitter, at least 1.
func (c *circuitBreaker) recordFailure(jitter float64, askedFor time.Duration) {
	c.failures++
	open := askedFor
	if c.remaining() <= 0 && (c.isOpen() || c.failures >= failuresToOpen) {
		open = max(open, time.Duration(float64(min(maxOpenTime, firstOpenTime<<min(c.openings, 10)))*jitter))
		c.openings++
	}
	if open > 0 && c.remaining() < open {
		c.until = time.Now().Add(open)
	}
}
