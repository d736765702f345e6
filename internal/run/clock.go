package run

import (
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
)

// maxClockDrift bounds how far the clocks of the server and this machine may drift apart since
// a run.
const maxClockDrift = 10 * time.Second

// isBefore reports whether a time of the server is before a time of this machine. An unknown time is
// not.
func isBefore(c *client.Client, t api.Time, other time.Time) bool {
	return !t.IsZero() && t.Add(-c.ClockOffset()).Before(other.Add(-maxClockDrift))
}
