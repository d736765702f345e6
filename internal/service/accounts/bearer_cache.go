package accounts

import (
	"sync"
	"time"

	"ativa/internal/service/domain"
)

const (
	// bearerMemory is how long a bearer token is cached. If another process revokes or rotates its
	// access token or disables the provider, it ends within a second on every server (decisions.md
	// 11).
	bearerMemory = time.Second
	maxBearers   = 4096 // entries; a full cache is emptied
)

// bearerCache caches bearer tokens by hash, so that the requests of a client do not repeat the
// same look-up. The zero value is an empty cache. It is safe for concurrent use.
type bearerCache struct {
	mu    sync.Mutex
	found map[[32]byte]foundBearer
	// generation counts calls of forget. A token looked up before a call is not cached after it.
	generation int
}

type foundBearer struct {
	domain.BearerToken
	at time.Time // when the look-up began
}

// isFresh reports whether the cached token may still be used at now. It takes the longer of wall
// and monotonic time, because a clock that was set back, or that stopped while the machine slept,
// makes the token look younger.
func (b foundBearer) isFresh(now time.Time) bool {
	wall := now.Round(0).Sub(b.at.Round(0))
	return wall >= 0 && max(wall, now.Sub(b.at)) < bearerMemory
}

// get returns a cached token, and the generation to pass to put.
func (c *bearerCache) get(hash [32]byte, now time.Time) (b domain.BearerToken, generation int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.found[hash]
	return found.BearerToken, c.generation, ok && found.isFresh(now)
}

// put caches a token that get did not find. at is when its look-up began; generation is the one
// that get returned.
func (c *bearerCache) put(b domain.BearerToken, at time.Time, generation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.generation {
		return
	}
	if c.found == nil || len(c.found) >= maxBearers {
		c.found = map[[32]byte]foundBearer{}
	}
	c.found[b.Hash] = foundBearer{b, at}
}

// forget empties the cache. It must be called after a token or provider has changed.
func (c *bearerCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = nil
	c.generation++
}
