package rules

import (
	"context"
	"time"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Store is what the rules need of a database.
//
// Its methods are safe for concurrent use. Times are kept to the microsecond,
// in UTC. An error that is not a [*domain.Error] means that the database failed; when
// the database cannot take the request now, the error has code Unavailable.
// A row that is not found is absent from a returned map or slice,
// unless a method names an error code for it.
type Store interface {
	// Update runs fn in one transaction of the provider and commits when fn
	// returns nil. It returns after the commit is durable. It returns NotFound
	// when the provider does not exist.
	//
	// Updates of one provider run one after the other, across all servers of
	// the database, so fn sees exact counters. Updates with a context
	// of [domain.WithBulk] take turns with the others. The store may run fn in a savepoint
	// beside other calls (group commit), and again from the start when the
	// database could not serialise it or lost the connection: fn must not keep
	// results of an earlier run. fn must not call other methods of the Store.
	Update(ctx context.Context, provider domain.ProviderID, fn func(context.Context, Tx) error) error

	// View runs fn on one snapshot of the provider. Updates neither wait for it nor change what it
	// sees. The write methods of its Tx fail.
	View(ctx context.Context, provider domain.ProviderID, fn func(context.Context, Tx) error) error

	// ProviderByName returns NotFound when the name does not exist.
	ProviderByName(context.Context, string) (domain.Provider, error)
	// LateOperations returns up to n waiting operations whose deadline is now or earlier. It skips
	// the providers in except.
	LateOperations(ctx context.Context, now time.Time, n int, except []domain.ProviderID) ([]domain.Operation, error)
	// SetActivationDeadlines sets the deadline of activations in progress that have none: ttl after
	// their status became inProgress.
	SetActivationDeadlines(ctx context.Context, ttl time.Duration) error
	// DueSchedules returns up to n waiting schedules that are due at now, the earliest first. It skips
	// the providers in except.
	DueSchedules(ctx context.Context, now time.Time, n int, except []domain.ProviderID) ([]domain.Schedule, error)
	// PromotableProviders returns the providers that have queued services and
	// are below their limit.
	PromotableProviders(context.Context) ([]domain.ProviderID, error)
	// PartnerEvents lists the events in the given states, oldest first.
	PartnerEvents(context.Context, []domain.PartnerEventState) ([]domain.PartnerEvent, error)
	// AddPartnerEvent is like [Tx.AddPartnerEvent], for an event whose operation belongs to no
	// provider.
	AddPartnerEvent(context.Context, domain.PartnerEvent) (added bool, err error)

	LinkByHash(context.Context, [32]byte) (l domain.Link, found bool, err error)
	// MarkOpened records the first opening of a link of the delivery that carried l.
	MarkOpened(ctx context.Context, l domain.Link, at time.Time) error
	// ServiceDetails returns the services of any provider with their subscribers.
	ServiceDetails(context.Context, []domain.ServiceID) (map[domain.ServiceID]domain.ServiceDetails, error)
	// ListOperations lists operations, oldest first.
	ListOperations(context.Context, domain.OperationFilter) ([]domain.OperationEntry, error)
	// Brands returns the brands of the providers that have one.
	Brands(context.Context, []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error)
}

// Changes are the changes of a unit of work. They are written in the order of the fields.
type Changes struct {
	NewServices   []domain.Service
	Services      []domain.Service
	NewOperations []domain.Operation
	Operations    []domain.OperationChange
	Events        []domain.Event
	// EndedIntervals set End and EndEvent of the open interval of each service, begun in an earlier
	// transaction. An interval that would end before it began, because a clock was set back, ends
	// when it began.
	EndedIntervals []domain.EnabledInterval
	// NewIntervals are open. For the same reason, an interval begins no earlier than the service's
	// previous one ended.
	NewIntervals  []domain.EnabledInterval
	NewDeliveries []domain.Delivery
	// FinishedDeliveries are claimed deliveries. State, attempts, next time, last error, time of the last attempt
	// and RefusedSince are written. Erased deliveries are ignored, as are deliveries whose next time is no longer
	// ReadNextAt: their lease ended, and another server claimed them.
	FinishedDeliveries []domain.Delivery
	Schedules          []*domain.Schedule // ProductID, State, Code and EndedAt are written
	NewSchedules       []*domain.Schedule
}

// Tx is a transaction of one provider. It neither reads nor writes rows of
// another provider. Methods take slices, so that the number of statements does
// not grow with the number of rows. It is not safe for concurrent use, and ends
// when the function that Update or View runs returns.
type Tx interface {
	// Provider returns the provider, locked by Update, as it was when the transaction
	// began.
	Provider() domain.Provider
	// OthersWait reports whether a bulk request should continue in another
	// transaction, because other updates wait.
	OthersWait() bool
	// SaveProvider writes the provider's limit, disabled flag and counters.
	SaveProvider(context.Context, domain.Provider) error
	// Products returns every product by id, and whether the provider may sell it.
	Products(context.Context) (map[int]domain.Offer, error)
	// SpeedIDs returns the ids of all internet speeds.
	SpeedIDs(context.Context) (map[int]bool, error)

	// Subscribers returns the subscribers with the documents.
	Subscribers(context.Context, []cpf.Document) (map[cpf.Document]domain.Subscriber, error)
	// SubscriberIDs returns the ids of the subscribers with the documents.
	SubscriberIDs(context.Context, []cpf.Document) (map[cpf.Document]domain.SubscriberID, error)
	// Services returns the services of each subscriber, in order of creation.
	Services(context.Context, []domain.SubscriberID) (map[domain.SubscriberID][]domain.Service, error)
	ServicesByID(context.Context, []domain.ServiceID) (map[domain.ServiceID]domain.Service, error)
	Operations(context.Context, []domain.OperationID) (map[domain.OperationID]domain.Operation, error)
	// Queue returns up to n services in status limitReached, the first queued first.
	Queue(ctx context.Context, n int) ([]domain.Service, error)
	// QueuePositions returns the queue position, from 1, of each operation.
	QueuePositions(context.Context, []domain.OperationID) (map[domain.OperationID]int, error)

	// InsertSubscribers inserts the subscribers whose document is new. It returns the documents
	// that already exist and does not change their subscribers. Ids and documents must be
	// distinct.
	InsertSubscribers(context.Context, []domain.Subscriber) (existing map[cpf.Document]bool, err error)
	// UpdateSubscriber writes all fields but id and creation time. It returns
	// SubscriberExists when the document belongs to another subscriber.
	UpdateSubscriber(context.Context, domain.Subscriber) error
	// RestartEmails makes the subscriber's e-mails that have not gone out due at the given time and
	// resets their attempts. The outcome of an attempt in progress is then ignored.
	RestartEmails(ctx context.Context, id domain.SubscriberID, at time.Time) error
	// EraseSubscriber deletes the subscriber, the deliveries, links and schedules of its
	// services, and the bodies of the stored responses about it alone. Services,
	// operations, events and partner events stay, without their reasons.
	EraseSubscriber(context.Context, domain.SubscriberID) error

	// Write writes the changes, a few statements for each kind.
	Write(context.Context, Changes) error
	// HeldDeliveries returns the claimed deliveries that no other server has claimed or finished, and locks them
	// until the end of the transaction.
	HeldDeliveries(context.Context, []domain.Delivery) (map[domain.DeliveryID]bool, error)
	// WaitingSchedules returns the schedules that wait for the services, the oldest first.
	WaitingSchedules(context.Context, []domain.ServiceID) ([]domain.Schedule, error)
	// Callback returns the provider's activation callback when it is enabled.
	Callback(context.Context) (c domain.Callback, found bool, err error)
	// AddPartnerEvent stores an event. It reports false, and stores nothing, when the
	// partner sent an event with this id before.
	AddPartnerEvent(context.Context, domain.PartnerEvent) (added bool, err error)
	// SetPartnerEventState writes the reason of a partner event and changes its state
	// from e.State to to. It reports false when the event no longer has the state e.State.
	SetPartnerEventState(ctx context.Context, e domain.PartnerEvent, to domain.PartnerEventState) (set bool, err error)
	// MarkLinkUsed marks an activation link as used.
	MarkLinkUsed(ctx context.Context, hash [32]byte, at time.Time) error

	// StoredResponse returns the response stored under an idempotency key.
	StoredResponse(ctx context.Context, key [32]byte) (r domain.EarlierResponse, found bool, err error)
	// SaveResponse stores the response of an idempotency key, compressed and encrypted with
	// its secret.
	SaveResponse(context.Context, domain.StoredResponse) error
}
