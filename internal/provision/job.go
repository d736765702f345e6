package provision

import "time"

// JobKind is what a job of the outbox delivers.
type JobKind int

// The kinds of jobs.
const (
	EmailJob JobKind = iota + 1
	CallbackJob
	PartnerJob
)

// String returns the kind as `ativa admin deliveries list` prints it.
func (k JobKind) String() string {
	switch k {
	case EmailJob:
		return "email"
	case CallbackJob:
		return "callback"
	case PartnerJob:
		return "partner"
	}
	return ""
}

// JobState is where a job stands.
type JobState int

// The states of a job.
const (
	JobDue JobState = iota
	JobLeased
	JobDone
	JobDead
)

// String returns the state as `ativa admin deliveries list` prints it.
func (s JobState) String() string {
	return [...]string{"due", "leased", "done", "dead"}[s]
}

// Job is one delivery that the outbox owes: it refers to the service and
// holds no personal data.
type Job struct {
	ID        JobID
	Kind      JobKind
	Service   ServiceID
	Operation OperationID
	Sequence  int // Service.Link when it was made, for partners Operation.Attempts; one of a lower number is obsolete
	State     JobState
	Attempts  int // finished attempts
	CreatedAt time.Time
	NextAt    time.Time // due: when; leased: until when
	LastError string
}

// JobFilter chooses jobs; the zero value chooses all.
type JobFilter struct {
	States     []JobState
	IDs        []JobID
	Kinds      []JobKind
	Provider   ProviderID   // 0: of all
	Subscriber SubscriberID // 0: of anybody
	Limit      int
}

// Delivery is a job as the operator sees it.
type Delivery struct {
	Job
	Provider string
	Document string // "" once the subscriber is deleted
}

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
