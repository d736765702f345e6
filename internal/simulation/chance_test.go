package simulation_test

import (
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// chance draws from a seed. Each purpose has a sequence of its own, so that a
// draw does not depend on what else happens at the same instant.
type chance struct {
	seed   uint64
	mu     sync.Mutex
	counts map[string]uint64
}

func newChance(seed uint64) *chance { return &chance{seed: seed, counts: map[string]uint64{}} }

// count returns how often it was called for the purpose before.
func (c *chance) count(purpose string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.counts[purpose]
	c.counts[purpose]++
	return n
}

func (c *chance) draw(purpose string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose))
	p := rand.NewPCG(c.seed^c.count(purpose)<<40, h.Sum64())
	p.Uint64()
	return p.Uint64()
}

func (c *chance) below(purpose string, n int) int { return int(c.draw(purpose) % uint64(n)) }

func (c *chance) float(purpose string) float64 { return float64(c.draw(purpose)>>11) / (1 << 53) }

func (c *chance) happens(purpose string, probability float64) bool {
	return c.float(purpose) < probability
}

func (c *chance) between(purpose string, least, most time.Duration) time.Duration {
	return least + time.Duration(c.draw(purpose)%uint64(most-least))
}
