package provision

import "time"

// Stats are what an operator watches; none of them tells of one provider.
type Stats struct {
	Queued     int // services that wait for the limit
	Operations int // operations that a partner has yet to confirm
	Outbox     []OutboxStats
}

// OutboxStats are the deliveries of one kind that are owed.
type OutboxStats struct {
	Kind   JobKind
	Open   int       // due or under way
	Dead   int       // given up; the operator may retry them
	Oldest time.Time // when the first of the open ones is, or was, due; zero: there is none
}

// Late is for how long a delivery of the kind has been due.
func (f OutboxStats) Late(now time.Time) time.Duration {
	if f.Oldest.IsZero() {
		return 0
	}
	return max(now.Sub(f.Oldest), 0)
}
