package simulation_test

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// chance draws random values from a seed. A value depends only on the purpose, the instant and the
// number of draws for that purpose at this instant, so not on what else happens then nor on earlier draws.
type chance struct {
	seed   uint64
	mu     sync.Mutex
	now    time.Time
	counts map[string]uint64 // draws at this instant, by purpose
}

func newChance(seed uint64) *chance { return &chance{seed: seed, counts: map[string]uint64{}} }

func (c *chance) draw(purpose string) uint64 {
	c.mu.Lock()
	now := time.Now()
	if !now.Equal(c.now) {
		c.now = now
		clear(c.counts)
	}
	n := c.counts[purpose]
	c.counts[purpose]++
	c.mu.Unlock()
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64([]byte(purpose), uint64(now.UnixNano())))
	p := rand.NewPCG(c.seed^n<<40, h.Sum64())
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
