package provision

import (
	"context"
	"time"
)

// How long things are kept that have served their time. The history is kept
// for good.
const (
	keepAnswers = 7 * 24 * time.Hour  // decisions.md 5
	keepBearers = 24 * time.Hour      // after they expired, so that "expired" can be said
	keepLinks   = 30 * 24 * time.Hour // likewise
	keepJobs    = 30 * 24 * time.Hour // after they were done
)

// Purge deletes stored answers, tokens, links and finished jobs that have
// served their time. It is cheap to call when there is nothing to delete.
func (m *Manager) Purge(ctx context.Context) error {
	now := m.now()
	return m.store.Purge(ctx, Retention{
		Answers: now.Add(-keepAnswers), Bearers: now.Add(-keepBearers), Links: now.Add(-keepLinks), Jobs: now.Add(-keepJobs),
	})
}
