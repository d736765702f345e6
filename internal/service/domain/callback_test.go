package domain_test

import (
	"testing"
	"time"

	"ativa/internal/service/domain"
)

// The receiver drops a batch whose webhook id it has seen.
func TestABatchIsTheSameWhileItsWebhookIDIs(t *testing.T) {
	c := domain.FeedCallback{Generation: 5, Cursor: 7, BatchEnd: 9}
	for name, row := range map[string]struct {
		change func(*domain.FeedCallback)
		same   bool
	}{
		"nothing":      {func(*domain.FeedCallback) {}, true},
		"an attempt":   {func(c *domain.FeedCallback) { c.Failures, c.NextAttempt = 1, time.Unix(1, 0) }, true},
		"a replay":     {func(c *domain.FeedCallback) { c.Generation++ }, false},
		"the cursor":   {func(c *domain.FeedCallback) { c.Cursor++ }, false},
		"a longer one": {func(c *domain.FeedCallback) { c.BatchEnd++ }, false},
	} {
		other := c
		row.change(&other)
		if got := c.SameBatch(other); got != row.same {
			t.Errorf("%s: got the same batch %t, want %t", name, got, row.same)
		}
		if got := (domain.FeedBatch{Callback: c}).ID() == (domain.FeedBatch{Callback: other}).ID(); got != row.same {
			t.Errorf("%s: got the same id %t, want %t", name, got, row.same)
		}
	}
}
