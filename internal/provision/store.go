package provision

import (
	"context"
	"time"

	"ativa/internal/cpf"
)

// Store is what the rules need of a database. Its methods are safe for
// concurrent use. Times are kept to the microsecond, in UTC. An error that is
// not an [*Error] means that the database failed; when it cannot take the
// request now it is an *Error with code Unavailable.
type Store interface {
	// Update runs fn in one transaction bound to the provider and commits
	// when fn returns nil. Updates of one provider run one after the other,
	// across all servers of one database; so fn sees the counters as they
	// are. fn may be run in a savepoint beside other calls (group commit), and
	// again from the start when the database could not serialise it or lost
	// the connection; so it begins by forgetting. Update returns only after
	// the commit is durable. fn must not call other methods of the Store. Which of
	// the updates that wait goes first is a matter of the [Priority] of ctx.
	Update(ctx context.Context, provider ProviderID, fn func(context.Context, Tx) error) error

	Reader
	Registry
	Tokens
	Callbacks
	Outbox
	PartnerEventStore
	Maintenance
}

// Tx is a transaction of one provider; no record of another provider can be
// read or written through it. Methods take slices, so that the number of
// statements does not grow with the rows.
type Tx interface {
	// Provider returns the provider as it was at the start, locked.
	Provider() Provider
	// Yield reports whether others wait and the transaction has had its time:
	// what can be done in another is left to that.
	ShouldYield() bool
	// SaveProvider writes limit, disabled, counters and numbers back.
	SaveProvider(context.Context, Provider) error
	// Products returns every product by id, each with whether the provider may sell it.
	Products(context.Context) (map[int]Offer, error)
	// SpeedIDs returns the ids of the internet speeds.
	SpeedIDs(context.Context) (map[int]bool, error)

	// Subscribers returns those of the documents that exist.
	Subscribers(context.Context, []cpf.Document) (map[cpf.Document]Subscriber, error)
	// SubscriberIDs returns the subscribers of those of the documents that exist.
	SubscriberIDs(context.Context, []cpf.Document) (map[cpf.Document]SubscriberID, error)
	// Services returns the services of each of the subscribers, in order of creation.
	Services(context.Context, []SubscriberID) (map[SubscriberID][]Service, error)
	// ServicesByID returns those of the services that exist.
	ServicesByID(context.Context, []ServiceID) (map[ServiceID]Service, error)
	// Operations returns those of the operations that exist.
	Operations(context.Context, []OperationID) (map[OperationID]Operation, error)
	// Queue returns up to n services in status limitReached, first come first.
	Queue(ctx context.Context, n int) ([]Service, error)
	// QueuePositions returns the place, from 1, of each queued operation.
	QueuePositions(context.Context, []OperationID) (map[OperationID]int, error)

	// InsertSubscribers inserts those whose document is new and returns the
	// documents that existed already, which it leaves alone. Ids and documents are distinct.
	InsertSubscribers(context.Context, []Subscriber) (existing map[cpf.Document]bool, err error)
	// SkipSubscribers notes ids that no subscriber has, because those who were
	// to have them exist already. Pages are found by it.
	SkipSubscribers(context.Context, []SubscriberID) error
	// UpdateSubscriber writes all fields but id and creation time; it returns
	// an *Error SubscriberExists when the document belongs to another subscriber.
	UpdateSubscriber(context.Context, Subscriber) error
	// EraseSubscriber deletes the personal data: the subscriber, the jobs and
	// links of its services, and what stored answers tell of it alone.
	// Services, operations and events stay.
	EraseSubscriber(context.Context, SubscriberID) error

	InsertServices(context.Context, []Service) error
	UpdateServices(context.Context, []Service) error
	InsertOperations(context.Context, []Operation) error
	UpdateOperations(context.Context, []OperationChange) error
	InsertEvents(context.Context, []Event) error
	InsertJobs(context.Context, []Job) error
	// Callback returns the provider's enabled activation callback, if any.
	Callback(context.Context) (c Callback, found bool, err error)
	// SetReportState takes a report on from the state that it has in r; false
	// when another transaction has done so meanwhile.
	SetPartnerEventState(ctx context.Context, r PartnerEvent, to PartnerEventState) (set bool, err error)
	// UseLink marks an activation link as used.
	MarkLinkUsed(ctx context.Context, hash [32]byte, at time.Time) error

	// Answer returns what was stored under an idempotency key.
	StoredResponse(ctx context.Context, key [32]byte) (answer StoredResponse, found bool, err error)
	// SaveAnswer stores an answer; it commits with the effect.
	SaveResponse(context.Context, StoredResponse) error
}

// Reader reads what one provider owns. Lists are in order of creation.
type Reader interface {
	Subscriber(context.Context, ProviderID, cpf.Document) (s SubscriberServices, found bool, err error)
	CountSubscribers(context.Context, ProviderID) (int, error)
	// SubscriberPage returns up to limit subscribers after the first offset ones.
	// Their services hold what a list shows: id, product, status and times. So
	// do those of EachSubscriber.
	SubscriberPage(ctx context.Context, p ProviderID, offset, limit int) ([]SubscriberServices, error)
	// EachSubscriber calls fn for every subscriber in constant memory; it
	// holds no snapshot while fn runs for long. The value is reused between calls.
	EachSubscriber(ctx context.Context, p ProviderID, fn func(*SubscriberServices) error) error
	// Search returns the matches after the first offset ones, at most limit,
	// and how many there are in total.
	Search(ctx context.Context, p ProviderID, t SearchTerm, offset, limit int) ([]SubscriberServices, int, error)
	// EachMatch calls fn for every match; it holds the ids of all and a few
	// subscribers at a time. The value is reused between calls.
	EachMatch(ctx context.Context, p ProviderID, t SearchTerm, fn func(*SubscriberServices) error) error
	// History returns the events of one subscriber, oldest first.
	History(context.Context, SubscriberID) ([]Event, error)
	// Events returns up to limit events after a cursor, oldest first.
	Events(ctx context.Context, p ProviderID, after EventID, limit int) ([]Event, error)
	// LastEvent returns the newest event there ever was, and less than any
	// event when there was none.
	LastEvent(context.Context, ProviderID) (EventID, error)
	// Offers returns the products the provider may sell, by id.
	Offers(context.Context, ProviderID) ([]Product, error)
	InternetSpeeds(context.Context) ([]InternetSpeed, error)
}

// Registry keeps what the operator sets up: providers, products, speeds, partners.
type Registry interface {
	// CreateProvider assigns the id; NameTaken when the name exists.
	CreateProvider(context.Context, Provider) (Provider, error)
	Providers(context.Context) ([]Provider, error)
	// ProviderByName returns NotFound when there is none.
	ProviderByName(context.Context, string) (Provider, error)

	// CreateProduct returns NameTaken when the id or the code exists.
	CreateProduct(context.Context, Product) error
	// UpdateProduct returns FamilyConflict when a subscriber would then have
	// two live tokens of one family.
	UpdateProduct(context.Context, Product) error
	Products(context.Context) ([]Product, error)
	// Grant lets the provider sell the products; Revoke forbids it.
	Grant(context.Context, ProviderID, []int) error
	Revoke(context.Context, ProviderID, []int) error

	// CreateInternetSpeed returns NameTaken when the id, the text or the slug exists.
	CreateInternetSpeed(context.Context, InternetSpeed) error

	// CreatePartner assigns the id; NameTaken when the name exists.
	CreatePartner(context.Context, Partner) (Partner, error)
	// UpdatePartner writes URL, delay and failure rate.
	UpdatePartner(context.Context, Partner) error
	Partners(context.Context) ([]Partner, error)
}

// Tokens keeps the access tokens of providers and the bearer tokens that they
// are exchanged for; of both the hash alone.
type Tokens interface {
	// AddAccessToken adds a token, whose id it assigns, and in the same
	// transaction ends all of the provider's valid tokens but the newest keep.
	AddAccessToken(ctx context.Context, t AccessToken, keep int) (AccessToken, error)
	// AccessTokens returns the tokens of the providers by id, revoked ones included.
	AccessTokens(context.Context, []ProviderID) ([]AccessToken, error)
	// AccessTokenByHash finds a token that is not revoked, of a provider that is not disabled.
	AccessTokenByHash(context.Context, [32]byte) (t AccessToken, found bool, err error)
	// RevokeAccessToken ends a token and the bearer tokens made from it.
	RevokeAccessToken(ctx context.Context, p ProviderID, id int64, at time.Time) error
	SaveBearer(context.Context, BearerToken) error
	// BearerByHash finds a bearer token, also an expired one, whose access
	// token is not revoked and whose provider is not disabled.
	BearerByHash(context.Context, [32]byte) (t BearerToken, found bool, err error)
}

// Callbacks keeps where providers want to hear of resent activations.
type Callbacks interface {
	// SetCallback registers or replaces the provider's activation callback.
	SetCallback(context.Context, Callback) error
	Callbacks(context.Context) ([]Callback, error)
	// EnableCallback turns a callback on or off; NotFound when there is none.
	EnableCallback(ctx context.Context, p ProviderID, enabled bool) error
	// CountCallback adds a failure to those in a row, or ends the row.
	RecordCallbackResult(ctx context.Context, p ProviderID, well bool) error
}

// Outbox hands out the deliveries that are owed, and keeps what they need.
type Outbox interface {
	// ClaimJobs leases up to n due jobs of the kind, oldest first, until
	// the given time; a leased job whose time has passed is due again.
	ClaimJobs(ctx context.Context, kind JobKind, n int, now, until time.Time) ([]Job, error)
	// FinishJobs writes state, attempts, next time and last error of claimed
	// jobs. A job that was erased meanwhile is left out.
	FinishJobs(context.Context, []Job) error
	// ReviveJobs makes jobs due at the given time with a fresh schedule, all of
	// them or none: NotWaiting when one is no longer due or dead.
	RescheduleJobs(ctx context.Context, ids []JobID, at time.Time) error
	// Jobs lists jobs for the operator, oldest first.
	Jobs(context.Context, JobFilter) ([]Delivery, error)
	// InsertLinks stores freshly minted activation links.
	InsertLinks(context.Context, []Link) error
	LinkByHash(context.Context, [32]byte) (l Link, found bool, err error)
	// Subjects returns those of the services that exist with their subscribers, whatever the provider.
	ServiceDetails(context.Context, []ServiceID) (map[ServiceID]ServiceDetails, error)
}

// PartnerEventStore keeps what partners report until it is applied.
type PartnerEventStore interface {
	// AddReport stores a partner's report; false when its id is known already.
	AddPartnerEvent(context.Context, PartnerEvent) (added bool, err error)
	// PendingReports returns up to n reports that are stored and not yet applied,
	// in the order in which they were received, from the one after the given on.
	PendingPartnerEvents(ctx context.Context, after PartnerEvent, n int) ([]PartnerEvent, error)
	// Reports lists reports in the given states for the operator, oldest first.
	PartnerEvents(ctx context.Context, states []PartnerEventState, limit int) ([]PartnerEvent, error)
	// SetReportState is that of [Tx] for a report whose operation has no provider.
	SetPartnerEventState(context.Context, PartnerEvent, PartnerEventState) (set bool, err error)
}

// Maintenance finds what waits too long, and deletes what has served its time.
type Maintenance interface {
	// OverdueOperations returns up to n waiting operations whose deadline has passed.
	LateOperations(ctx context.Context, now time.Time, n int) ([]Operation, error)
	// ListOperations lists operations for the operator, oldest first.
	ListOperations(context.Context, OperationFilter) ([]OperationEntry, error)
	// Backlogged returns the providers that have queued services and room for them.
	PromotableProviders(context.Context) ([]ProviderID, error)
	// Purge deletes what has served its time before the given moments.
	Purge(context.Context, RetentionCutoffs) error
}

// Priority says which writes go before others.
type Priority int

// The priorities. A write of many elements is Large and is done in parts where
// others wait; what no person waits for is Background. All others are Small.
const (
	PrioritySmall Priority = iota
	PriorityLarge
	PriorityBackground
)

type priorityKey struct{}

// WithPriority gives the writes of a context their priority.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// PriorityFrom returns the priority of the writes of a context.
func PriorityFrom(ctx context.Context) Priority {
	p, _ := ctx.Value(priorityKey{}).(Priority)
	return p
}
