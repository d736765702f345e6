package domain

import (
	"cmp"
	"time"
)

// keepResponses is how long responses are stored under idempotency keys (decisions.md 5).
const keepResponses = 7 * 24 * time.Hour

// keepPartnerEvents is how long the id of a partner event is stored, whatever its outcome. It is
// much longer than a signature is valid, which is minutes (decisions.md 8).
const keepPartnerEvents = 30 * 24 * time.Hour

// Retention of the operator's record, and of the refused requests in it (decisions.md 17).
const (
	keepRecord  = 400 * 24 * time.Hour
	keepRefused = 30 * 24 * time.Hour
)

// RetentionPeriods is how long old rows are kept. The zero value of a field means its default.
type RetentionPeriods struct {
	Bearers time.Duration // bearer tokens after they expired, to distinguish expired from invalid; default 24 h
	Links   time.Duration // activation links after they expired; default 30 days
	Jobs    time.Duration // jobs after they were done; default 30 days
	History time.Duration // events of history and feed; default forever
}

func (k RetentionPeriods) withDefaults() RetentionPeriods {
	const day = 24 * time.Hour
	k.Bearers = cmp.Or(k.Bearers, day)
	k.Links = cmp.Or(k.Links, 30*day)
	k.Jobs = cmp.Or(k.Jobs, 30*day)
	return k
}

// RetentionCutoffs are the times before which rows are deleted. A zero time keeps all.
type RetentionCutoffs struct {
	Responses     time.Time // stored responses created before
	Bearers       time.Time // bearer tokens expired before
	Links         time.Time // links expired before
	Jobs          time.Time // done jobs finished before
	PartnerEvents time.Time // partner events received before
	Record        time.Time // entries of the operator's record before
	Refused       time.Time // refused requests of hours before
	Events        time.Time // events before
}

// Cutoffs returns the cutoffs at now. The operator's record, partner events and stored responses
// have fixed periods.
func (k RetentionPeriods) Cutoffs(now time.Time) RetentionCutoffs {
	k = k.withDefaults()
	r := RetentionCutoffs{Responses: now.Add(-keepResponses), Bearers: now.Add(-k.Bearers), Links: now.Add(-k.Links), Jobs: now.Add(-k.Jobs),
		PartnerEvents: now.Add(-keepPartnerEvents), Record: now.Add(-keepRecord), Refused: now.Add(-keepRefused)}
	if k.History > 0 {
		r.Events = now.Add(-k.History)
	}
	return r
}
