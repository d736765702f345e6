package server

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"ativa/internal/api"
	"ativa/internal/provision"
)

const (
	// bodiesOfProvider is how many bytes of large bodies one provider may have
	// under way on this server: two of the largest imports.
	bodiesOfProvider = 2 * api.MaxImportBytes
	// roomWithin is how long a large body waits until others are done.
	roomWithin = 30 * time.Second
)

// bodies bounds the memory that the large bodies of each provider take, from
// before they are read until they are answered. The zero value is ready.
type bodies struct {
	mu        sync.Mutex
	providers map[provision.ProviderID]*share
}

// share is what one provider has under way or waits for.
type share struct {
	room  *semaphore.Weighted
	users int
}

// take waits for room for n bytes of a provider, or refuses when there is none
// for long. The caller calls done when the request has been answered.
func (b *bodies) take(ctx context.Context, p provision.ProviderID, n int64) (done func(), err error) {
	b.mu.Lock()
	s := b.providers[p]
	if s == nil {
		s = &share{room: semaphore.NewWeighted(bodiesOfProvider)}
		if b.providers == nil {
			b.providers = map[provision.ProviderID]*share{}
		}
		b.providers[p] = s
	}
	s.users++
	b.mu.Unlock()
	leave := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(b.providers, p)
		}
	}
	waiting, cancel := context.WithTimeout(ctx, roomWithin)
	defer cancel()
	if s.room.Acquire(waiting, n) != nil {
		leave()
		return nil, &refusal{code: api.CodeUnavailable, retryAfter: time.Second,
			detail: "too many large requests of this provider are under way; send fewer at once"}
	}
	return func() {
		s.room.Release(n)
		leave()
	}, nil
}

// announced is how many bytes of body will be read, as far as the head of the
// request says: those of its length, or all that the route takes. A body that
// announces more is refused without being read.
func (x *exchange) announced() int64 {
	n := x.r.ContentLength
	switch {
	case n < 0 || x.r.Header.Get("Content-Encoding") != "":
		return x.route.body
	case n > x.route.body:
		return 0
	}
	return n
}
