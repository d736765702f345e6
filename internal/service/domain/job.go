package domain

import "time"

// JobKind is what a job of the outbox delivers.
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

// Job is an entry of the outbox: an e-mail or request to deliver. It refers to the service and
// contains no personal data.
type Job struct {
	ID   JobID
	Kind JobKind
	// Destination is the ID of a [Destination]: the operation's partner, or the provider whose
	// callback is called.
	Destination int64
	Service     ServiceID
	Operation   OperationID
	Sequence    int // Service.EmailNumber, or for partners Operation.Attempts, at creation; obsolete once that is higher
	State       JobState
	Attempts    int // finished attempts, since an operator last retried it or the address was changed
	CreatedAt   time.Time
	NextAt      time.Time // when it is due; if leased, when the lease ends; if done or dead, when it ended
	ReadNextAt  time.Time // NextAt when the job was claimed or read; it differs once another server has claimed or finished the job
	LastError   string    // why the last attempt failed; "" after a success
	Urgent      bool      // someone waits for it: not from a bulk request or a promotion

	LastAttemptAt time.Time // when the last attempt ended; zero: none
	OpenedAt      time.Time // the first GET of its link; zero: none
	RefusedSince  time.Time // start of the current run of temporary refusals of the address; zero: the last attempt met none
}

// delivered reports whether an attempt succeeded. A job that became obsolete first is done, but
// not delivered.
func (j *Job) delivered() bool {
	return j.State == JobDone && j.Attempts > 0 && j.LastError == ""
}

// obsolete reports whether the job is no longer needed, as of its service and the number of requests
// to the partner of its operation.
func (j *Job) obsolete(s Service, requests int) bool {
	if j.Kind == PartnerJob {
		return s.Operation != j.Operation || j.Sequence < requests || s.Status.Stable() || s.Status.Ended() || s.Status == InError
	}
	return s.EmailNumber != j.Sequence || s.Status != InProgress && s.Status != Active
}

// JobFilter selects jobs. The zero value selects all.
type JobFilter struct {
	States   []JobState
	IDs      []JobID
	Kinds    []JobKind
	Provider ProviderID // 0: any
}

// JobEntry is a job with the names that an operator sees.
type JobEntry struct {
	Job
	Provider string
	Document string // of the subscriber; "" once deleted
}

// Stats are the numbers an operator monitors, over all providers.
type Stats struct {
	Queued     int       // services in status limitReached
	Operations int       // operations that wait for a partner
	Schedules  int       // operations that are scheduled and wait
	NextAt     time.Time // when the first of them is due; zero: none
	Outbox     []OutboxStats
}

// OutboxStats are the numbers of undelivered jobs of one kind.
type OutboxStats struct {
	Kind   JobKind
	Open   int       // due or leased jobs
	Dead   int       // jobs given up; an operator may retry them
	Oldest time.Time // the earliest due time of the open ones; zero: none
}
