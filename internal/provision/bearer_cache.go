package provision

import (
	"sync"
	"time"
)

const (
	// bearerMemory is how long a bearer token that was found is believed. An access
	// token that is revoked, rotated or disabled meanwhile, by another process, ends
	// within a second on every server (decisions.md 11).
	bearerMemory = time.Second
	maxBearers   = 4096 // remembered at once
)

// bearerCache remembers bearer tokens that were found, by their hashes, so that a
// client's requests do not look up the same token again and again. The zero value
// is empty. It is safe for concurrent use.
type bearerCache struct {
	mu    sync.Mutex
	found map[[32]byte]foundBearer
	// generation counts forget. What was looked up before is not remembered after.
	generation int
}

type foundBearer struct {
	BearerToken
	at time.Time // when the look-up began
}

// isFresh reports whether a token that was looked up at one time is believed at
// another. A clock that was set back, and one that stood still while the machine
// slept, make it look younger than it is.
func (b foundBearer) isFresh(now time.Time) bool {
	wall := now.Round(0).Sub(b.at.Round(0))
	return wall >= 0 && max(wall, now.Sub(b.at)) < bearerMemory
}

// get returns a token that is remembered, and the generation for put.
func (c *bearerCache) get(hash [32]byte, now time.Time) (b BearerToken, generation int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.found[hash]
	return found.BearerToken, c.generation, ok && found.isFresh(now)
}

// put remembers a token that get did not return and whose look-up began at a time.
func (c *bearerCache) put(b BearerToken, at time.Time, generation int) {
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

// forget ends what is remembered at once. It is called when a token or provider
// has been changed.
func (c *bearerCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found = nil
	c.generation++
}
