package provision

import "time"

// JobKind says what a job of the outbox delivers.
type JobKind int

// The kinds of jobs.
const (
	EmailJob JobKind = iota + 1
	CallbackJob
	PartnerJob
)

var jobKindNames = [...]string{"", "email", "callback", "partner"}

// String returns the kind as `ativa admin deliveries list` prints it.
func (k JobKind) String() string { return nameOf(jobKindNames[:], k) }

// JobState is the state of a job.
type JobState int

// The states of a job.
const (
	JobDue JobState = iota
	JobLeased
	JobDone
	JobDead
)

var jobStateNames = [...]string{"due", "leased", "done", "dead"}

// String returns the state as `ativa admin deliveries list` prints it.
func (s JobState) String() string { return nameOf(jobStateNames[:], s) }

// Job is an entry of the outbox: an e-mail or request to be delivered. It refers
// to the service and holds no personal data.
type Job struct {
	ID        JobID
	Kind      JobKind
	Service   ServiceID
	Operation OperationID
	Sequence  int // Service.EmailNumber, for partners Operation.Attempts, when it was made; with a lower number it is obsolete
	State     JobState
	Attempts  int // that are finished, since an operator last retried it
	CreatedAt time.Time
	NextAt    time.Time // when it is due, its lease ends, or it was done or given up
	LastError string    // why the last attempt failed; "" after one that succeeded

	LastAttemptAt time.Time // when the last attempt ended; zero: none, or by an older version
	OpenedAt      time.Time // the first GET of its link; zero: none
}

// delivered reports whether an attempt succeeded. A job is also done when it
// became obsolete before one did.
func (j *Job) delivered() bool {
	return j.State == JobDone && j.Attempts > 0 && j.LastError == ""
}

// JobFilter selects jobs. The zero value selects all.
type JobFilter struct {
	States     []JobState
	IDs        []JobID
	Kinds      []JobKind
	Provider   ProviderID   // 0: any
	Subscriber SubscriberID // 0: any
	Limit      int          // 0: none
}

// Delivery is a job with the names that an operator sees.
type Delivery struct {
	Job
	Provider string
	Document string // of the subscriber; "" once deleted
}

// Stats are the numbers an operator monitors, over all providers.
type Stats struct {
	Queued     int // services in status limitReached
	Operations int // operations with a deadline, which wait for a partner
	Outbox     []OutboxStats
}

// OutboxStats are the numbers of undelivered jobs of one kind.
type OutboxStats struct {
	Kind   JobKind
	Open   int       // due or leased
	Dead   int       // given up; an operator may retry them
	Oldest time.Time // the earliest due time of the open ones; zero: none
}

// Late returns for how long the oldest open job has been due.
func (f OutboxStats) Late(now time.Time) time.Duration {
	if f.Oldest.IsZero() {
		return 0
	}
	return max(now.Sub(f.Oldest), 0)
}
