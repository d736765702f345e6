package provision

import (
	"cmp"
	"context"
	"time"
)

// keepResponses is for how long a repetition of a write is answered from store;
// the API promises it (decisions.md 5).
const keepResponses = 7 * 24 * time.Hour

// keepPartnerEvents is for how long a partner's report is known by its id; the
// signature of one is good for minutes (decisions.md 8).
const keepPartnerEvents = 30 * 24 * time.Hour

// RetentionPeriods says how long things are kept that have served their time; the zero
// value of each means its default.
type RetentionPeriods struct {
	Bearers time.Duration // after they expired, so that "expired" can be said; default 24 h
	Links   time.Duration // after they expired, likewise; default 30 days
	Jobs    time.Duration // after they were done; default 30 days
	History time.Duration // events of history and feed; default for good
}

func (k RetentionPeriods) withDefaults() RetentionPeriods {
	const day = 24 * time.Hour
	k.Bearers = cmp.Or(k.Bearers, day)
	k.Links = cmp.Or(k.Links, 30*day)
	k.Jobs = cmp.Or(k.Jobs, 30*day)
	return k
}

// RetentionCutoffs says what is old enough to be deleted; a zero time keeps all.
type RetentionCutoffs struct {
	Responses     time.Time // stored answers made before
	Bearers       time.Time // bearer tokens expired before
	Links         time.Time // links expired before
	Jobs          time.Time // done jobs finished before
	PartnerEvents time.Time // partners' reports received before that were applied or stale
	Events        time.Time // events before
}

// Purge deletes stored answers, tokens, links, finished jobs, settled reports and, where
// Options.Keep says so, events that have served their time, in parts that let
// other writers have their turn. It is cheap to call when there is nothing to
// delete.
func (m *Manager) Purge(ctx context.Context) error {
	now, k := m.Now(), m.options.Retention
	r := RetentionCutoffs{Responses: now.Add(-keepResponses), Bearers: now.Add(-k.Bearers), Links: now.Add(-k.Links), Jobs: now.Add(-k.Jobs),
		PartnerEvents: now.Add(-keepPartnerEvents)}
	if k.History > 0 {
		r.Events = now.Add(-k.History)
	}
	return m.store.Purge(ctx, r)
}
