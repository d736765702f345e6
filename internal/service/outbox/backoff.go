package outbox

import "time"

// backoff returns the delay after n+1 failed attempts.
func backoff(n int) time.Duration {
	return min(time.Hour, 5*time.Second<<min(n, 12))
}

// callbackRetryDelay returns the delay after n+1 failed attempts at a callback, and false after
// the last one (decisions.md 8).
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

// feedRetryDelay returns the delay after n+1 failed attempts at a batch, and false after the last
// one (decisions.md 13). The last seven days of attempts are hourly.
func feedRetryDelay(n int) (time.Duration, bool) {
	schedule := [...]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute}
	if n < len(schedule) {
		return schedule[n], true
	}
	return time.Hour, n < len(schedule)+7*24
}
