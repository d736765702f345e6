package domain

import "time"

// ScheduleState is the state of a schedule.
type ScheduleState int

// The states of a schedule.
const (
	ScheduleWaiting ScheduleState = iota + 1
	ScheduleDone
	ScheduleCancelled
	ScheduleRefused
)

var scheduleStateNames = [...]string{"", "waiting", "done", "cancelled", "refused"}

// String returns the state as the API names it.
func (s ScheduleState) String() string { return nameOf(scheduleStateNames[:], s) }

// Schedule is a scheduled operation on a service (decisions.md 16).
// At most one waits for each service and request.
type Schedule struct {
	ID        ScheduleID
	Service   ServiceID
	ProductID int // of the service; a change of product updates it while the schedule waits
	Request   Request
	At        time.Time // when it is due
	State     ScheduleState
	Token     TokenID // the token that scheduled it; 0: not known
	Code      Code    // why it was refused
	CreatedAt time.Time
	EndedAt   time.Time // when it was done, cancelled or refused; zero while it waits

	// Document and ActorName, the name of the token, are set when schedules are listed.
	Document  string
	ActorName string
}

// ScheduleQuery selects schedules of one provider.
type ScheduleQuery struct {
	Provider   ProviderID
	Subscriber SubscriberID // 0: any
	After      ScheduleID   // the id before the first; 0: any
	Offset     int          // number of matches to skip after that
	Limit      int          // 0: none
}
