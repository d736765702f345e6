package server

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"ativa/internal/api"
)

// maxBuckets limits the memory of a rateLimiter: it keeps two generations of this many keys.
const maxBuckets = 10_000

// rateLimiter has a token bucket per key, which regains a token each second. A key that is not used
// while maxBuckets others are may start with a full bucket again, which bounds the memory.
type rateLimiter struct {
	burst int

	mu          sync.Mutex
	recent, old map[string]*rate.Limiter
	latest      time.Time // of a request
}

func newRateLimiter(burst int) *rateLimiter {
	return &rateLimiter{burst: burst, recent: map[string]*rate.Limiter{}}
}

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
		l.recent, l.old = map[string]*rate.Limiter{}, nil
	}
	l.latest = at
	if bucket := l.recent[key]; bucket != nil {
		return bucket
	}
	bucket := l.old[key]
	if bucket == nil {
		bucket = rate.NewLimiter(1, l.burst)
	}
	if len(l.recent) >= maxBuckets {
		l.recent, l.old = map[string]*rate.Limiter{}, l.recent
	}
	l.recent[key] = bucket
	return bucket
}
