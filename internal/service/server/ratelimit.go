package server

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"ativa/internal/api"
)

const (
	burst      = 60     // how many tokens a full bucket has: attempts to authenticate, or wrong signatures of an address
	maxBuckets = 20_000 // bounds the memory of a rateLimiter
)

// rateLimiter has a token bucket per key, which regains a token each second. When there are
// maxBuckets, all keys start with a full bucket again.
type rateLimiter struct {
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
	latest  time.Time // of a request
}

func newRateLimiter() *rateLimiter { return &rateLimiter{buckets: map[string]*rate.Limiter{}} }

// take takes one token, or returns an error if there is none.
func (l *rateLimiter) take(key string, at time.Time) error {
	if !l.bucket(key, at).AllowN(at, 1) {
		return rateLimited()
	}
	return nil
}

// check returns the error that take would return, without taking a token.
func (l *rateLimiter) check(key string, at time.Time) error {
	if l.bucket(key, at).TokensAt(at) < 1 {
		return rateLimited()
	}
	return nil
}

func rateLimited() error {
	return &httpError{code: api.CodeRateLimited, detail: "too many requests; try again later", retryAfter: time.Second}
}

func (l *rateLimiter) bucket(key string, at time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.latest.Sub(at) > time.Minute { // the clock was set back; empty buckets would stay empty until it has caught up
		clear(l.buckets)
	}
	l.latest = at
	bucket := l.buckets[key]
	if bucket == nil {
		if len(l.buckets) >= maxBuckets {
			clear(l.buckets)
		}
		bucket = rate.NewLimiter(1, burst)
		l.buckets[key] = bucket
	}
	return bucket
}
