package provision

import "time"

// Service is one token: a product of one subscriber, and where it stands.
type Service struct {
	ID        ServiceID
	ProductID int
	Status    Status
	CreatedAt time.Time
	UpdatedAt time.Time // of the status

	// Operation is the running operation, or the last one; Kind is its kind.
	// In status error it is the operation that failed.
	Operation OperationID
	Kind      OperationKind

	// Stable is the last resting status (active, suspend, overdue) the
	// service had before the present one; NoService before the first.
	Stable Status

	// Previous is, in status changed, the product to put back when the change
	// fails; after a failed change the product that was asked for; else 0.
	Previous int

	// Deferred is GoOverdue or Settle when one waits for the running
	// operation to end; 0 if none.
	Deferred Trigger

	// Link counts the activation e-mails: links of an earlier e-mail are replaced.
	Link int
}

// Enabled reports whether the partner still serves the subscriber.
func (s Service) Enabled() bool {
	return s.Status == Active || s.Stable == Active && !s.Status.resting() && !s.Status.Ended()
}

// Counted reports whether the service holds one of the provider's active
// tokens (decisions.md 8, Limit).
func (s Service) Counted() bool {
	switch s.Status {
	case InProgress, Active, Changed, Reactivated, WaitingSuspension, WaitingSuspensionDueToOverdue:
		return true
	case WaitingCancellation, InError:
		return s.Enabled()
	}
	return false
}

// OperationKind is what an operation asks of the partner or the subscriber.
type OperationKind int

// The kinds of operations. OverdueSuspension is a suspension for lack of
// payment; outside it is called "suspension" too.
const (
	Activation OperationKind = iota + 1
	Suspension
	Cancellation
	Reactivation
	ProductChange
	OverdueSuspension
)

// String returns the name that events and partner requests use.
func (k OperationKind) String() string {
	switch k {
	case Activation:
		return "activation"
	case Suspension, OverdueSuspension:
		return "suspension"
	case Cancellation:
		return "cancellation"
	case Reactivation:
		return "reactivation"
	case ProductChange:
		return "change"
	}
	return ""
}

// OperationState is where an operation stands.
type OperationState int

// The states of an operation.
const (
	OperationWaiting OperationState = iota + 1
	OperationConfirmed
	OperationFailed
	OperationTimedOut
	OperationSuperseded
)

// String returns the state as `ativa admin operations list` prints it.
func (s OperationState) String() string {
	switch s {
	case OperationWaiting:
		return "waiting"
	case OperationConfirmed:
		return "confirmed"
	case OperationFailed:
		return "failed"
	case OperationTimedOut:
		return "timed_out"
	case OperationSuperseded:
		return "superseded"
	}
	return ""
}

// Operation is one activation, suspension, cancellation, reactivation or
// change of a service, from the request to its confirmation.
type Operation struct {
	ID        OperationID
	Service   ServiceID
	Kind      OperationKind
	State     OperationState
	ProductID int
	Partner   PartnerID // 0: the product has no partner
	CreatedAt time.Time
	Attempts  int       // how often the partner was asked
	Deadline  time.Time // when it is asked again or given up; zero: never
	Reason    string    // why it failed
}

// Actor is who caused an event.
type Actor string

// The actors of decisions.md 10.
const (
	ActorProvider   Actor = "provider"
	ActorSubscriber Actor = "subscriber"
	ActorPartner    Actor = "partner"
	ActorOperator   Actor = "operator"
	ActorSystem     Actor = "system"
)

// EventType is the kind of an entry of the event feed.
type EventType int

// The types of decisions.md 10.
const (
	StatusChanged EventType = iota + 1
	SubscriberCreated
	SubscriberUpdated
	SubscriberDeleted
)

// String returns the API's name, for example "service.status_changed".
func (t EventType) String() string {
	switch t {
	case StatusChanged:
		return "service.status_changed"
	case SubscriberCreated:
		return "subscriber.created"
	case SubscriberUpdated:
		return "subscriber.updated"
	case SubscriberDeleted:
		return "subscriber.deleted"
	}
	return ""
}

// Event is one entry of the history and the feed. It names the subscriber by
// id only, so that it stays when the personal data is erased.
type Event struct {
	ID         EventID
	At         time.Time
	Type       EventType
	Subscriber SubscriberID
	Service    ServiceID // 0 for subscriber events
	ProductID  int
	Previous   Status // NoService for a new service
	Status     Status
	Trigger    string
	Actor      Actor
	Reason     string
	Operation  OperationID

	// Document is filled in when events are read, and "" once the subscriber
	// is deleted.
	Document string
}

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
	Link      int // Service.Link when it was made, for partners Operation.Attempts; one of a lower number is obsolete
	State     JobState
	Attempts  int // finished attempts
	CreatedAt time.Time
	NextAt    time.Time // due: when; leased: until when
	LastError string
}
