package delivery

import "time"

const (
	breakAfter  = 5               // failures in a row
	firstBreak  = 5 * time.Second // doubles with every break
	longestWait = 5 * time.Minute
)

// circuit leaves a destination alone that does not work. It opens after some
// failures in a row; when its time has passed, one errand is the probe that
// closes it or opens it for longer. The zero value is closed.
type circuit struct {
	failures int // in a row
	breaks   int // in a row
	until    time.Time
	probing  bool
}

// open reports whether nothing may be delivered now but the probe.
func (c *circuit) open() bool { return !c.until.IsZero() }

// admit asks for one errand: it may pass, or must wait until the given time.
func (c *circuit) admit(now time.Time) (until time.Time, ok bool) {
	switch {
	case !c.open():
		return time.Time{}, true
	case now.Before(c.until):
		return c.until, false
	case c.probing:
		return now.Add(time.Second), false
	}
	c.probing = true
	return time.Time{}, true
}

func (c *circuit) succeed() { *c = circuit{} }

// fail counts a failure; jitter is at least 1. The answers of errands that
// were under way when the circuit opened are not news.
func (c *circuit) fail(now time.Time, jitter float64) {
	c.failures++
	if c.open() && !c.probing || c.failures < breakAfter {
		return
	}
	wait := min(longestWait, firstBreak<<min(c.breaks, 10))
	c.breaks++
	c.until, c.probing = now.Add(time.Duration(float64(wait)*jitter)), false
}

// hold keeps the circuit open at least until the given time, because the
// destination asked for it.
func (c *circuit) hold(until time.Time) {
	if until.After(c.until) {
		c.until, c.probing = until, false
	}
}

// release gives the probe's turn back when it was not delivered.
func (c *circuit) release() { c.probing = false }
