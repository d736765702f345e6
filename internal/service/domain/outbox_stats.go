package domain

import "time"

// Stats are the numbers an operator monitors, over all providers.
type Stats struct {
	Queued     int       // services in status limitReached
	Operations int       // operations that wait for a partner
	Schedules  int       // operations that are scheduled and wait
	NextAt     time.Time // when the first of them is due; zero: none
	Outbox     []OutboxStats
}

// OutboxStats are the numbers of undelivered deliveries of one kind.
type OutboxStats struct {
	Kind   DeliveryKind
	Open   int       // due or leased deliveries
	Dead   int       // deliveries given up; an operator may retry them
	Oldest time.Time // the earliest due time of the open ones; zero: none
}
