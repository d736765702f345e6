package domain

import (
	"cmp"
	"time"
)

// How long rows are kept.
const (
	keepResponses     = 7 * 24 * time.Hour  // under idempotency keys (decisions.md 5)
	keepPartnerEvents = 30 * 24 * time.Hour // much longer than a signature is valid (decisions.md 8)
	keepRecord        = 400 * 24 * time.Hour
	keepRefused       = 30 * 24 * time.Hour // refused requests in the operator's record (decisions.md 17)
	keepBearers       = 24 * time.Hour      // after they expired, to distinguish expired from invalid
	keepLinks         = 30 * 24 * time.Hour // after they expired, to distinguish expired from unknown
	keepDeliveries    = 30 * 24 * time.Hour // after they were done, unless RetentionPeriods says otherwise
)

// RetentionPeriods is how long the other rows are kept. The zero value of a field means its default.
type RetentionPeriods struct {
	Deliveries time.Duration // deliveries after they were done; default 30 days
	History    time.Duration // events of history and feed; default forever
}

// RetentionCutoffs are the times before which rows are deleted. A zero time keeps all.
type RetentionCutoffs struct {
	Responses     time.Time // stored responses created before
	Bearers       time.Time // bearer tokens expired before
	Links         time.Time // links expired before
	Deliveries    time.Time // done deliveries finished before
	PartnerEvents time.Time // partner events received before
	Record        time.Time // entries of the operator's record before
	Refused       time.Time // refused requests of hours before
	Events        time.Time // events before
}

// Cutoffs returns the cutoffs at now.
func (k RetentionPeriods) Cutoffs(now time.Time) RetentionCutoffs {
	r := RetentionCutoffs{Responses: now.Add(-keepResponses), Bearers: now.Add(-keepBearers), Links: now.Add(-keepLinks), Deliveries: now.Add(-cmp.Or(k.Deliveries, keepDeliveries)),
		PartnerEvents: now.Add(-keepPartnerEvents), Record: now.Add(-keepRecord), Refused: now.Add(-keepRefused)}
	if k.History > 0 {
		r.Events = now.Add(-k.History)
	}
	return r
}
