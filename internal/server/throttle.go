package server

import (
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"ativa/internal/api"
	"ativa/internal/provision"
)

// maxBuckets bounds what a throttle remembers: two generations of so many.
const maxBuckets = 10_000

// throttle is a token bucket for each key. Whoever was not seen while so many
// others came starts with a full bucket again; so its memory is bounded.
type throttle struct {
	rate  rate.Limit
	burst int

	mu       sync.Mutex
	now, old map[string]*rate.Limiter
}

func newThrottle(perSecond float64, burst int) *throttle {
	return &throttle{rate: rate.Limit(perSecond), burst: burst, now: map[string]*rate.Limiter{}}
}

// take takes one token, or refuses and says when there will be one.
func (t *throttle) take(key string, at time.Time) error {
	l := t.bucket(key)
	if l.AllowN(at, 1) {
		return nil
	}
	missing := 1 - l.TokensAt(at)
	return &refusal{code: api.CodeRateLimited, detail: "too many requests; try again later",
		retryAfter: max(time.Duration(missing/float64(t.rate)*float64(time.Second)), time.Second)}
}

func (t *throttle) bucket(key string) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.now[key]; l != nil {
		return l
	}
	l := t.old[key]
	if l == nil {
		l = rate.NewLimiter(t.rate, t.burst)
	}
	if len(t.now) >= maxBuckets {
		t.now, t.old = map[string]*rate.Limiter{}, t.now
	}
	t.now[key] = l
	return l
}

func providerKey(p provision.ProviderID) string { return strconv.FormatInt(int64(p), 10) }
