package rules

import (
	"context"
	"time"

	"ativa/internal/cpf"
)

// Store is what the rules need of a database.
//
// Its methods are safe for concurrent use. Times are kept to the microsecond,
// in UTC. An error that is not an [*Error] means that the database failed; when
// the database cannot take the request now, the error has code Unavailable.
// What is looked up and not found is absent from a returned map or slice,
// unless a method names an error code for it.
type Store interface {
	// Update runs fn in one transaction of the provider and commits when fn
	// returns nil. It returns after the commit is durable. It returns NotFound
	// when the provider does not exist.
	//
	// Updates of one provider run one after the other, across all servers of
	// the database, so fn sees exact counters. Those of a context of [WithBulk]
	// take turns with all others. The store may run fn in a savepoint
	// beside other calls (group commit), and again from the start when the
	// database could not serialise it or lost the connection: fn must not keep
	// results of an earlier run. fn must not call other methods of the Store.
	Update(ctx context.Context, provider ProviderID, fn func(context.Context, Tx) error) error

	// View runs fn on one snapshot of the provider. Updates neither wait for it nor change what it
	// sees. The write methods of its Tx fail.
	View(ctx context.Context, provider ProviderID, fn func(context.Context, Tx) error) error

	Queries
	Reader
	Registry
	Tokens
	Callbacks
	Outbox
	PartnerEventStore
	OperatorRecord
	Maintenance
}

// Tx is a transaction of one provider. It neither reads nor writes rows of
// another provider. Methods take slices, so that the number of statements does
// not grow with the number of rows. It is not safe for concurrent use, and ends
// when the function that Update or View runs returns.
type Tx interface {
	// Provider returns the provider, locked by Update, as it was when the transaction
	// began.
	Provider() Provider
	// OthersWait reports whether a bulk request should continue in another
	// transaction, because other updates wait.
	OthersWait() bool
	// SaveProvider writes the provider's limit, disabled flag and counters.
	SaveProvider(context.Context, Provider) error
	// Products returns every product by id, and whether the provider may sell it.
	Products(context.Context) (map[int]Offer, error)
	// SpeedIDs returns the ids of all internet speeds.
	SpeedIDs(context.Context) (map[int]bool, error)

	// Subscribers returns the subscribers with the documents.
	Subscribers(context.Context, []cpf.Document) (map[cpf.Document]Subscriber, error)
	// SubscriberIDs returns the ids of the subscribers with the documents.
	SubscriberIDs(context.Context, []cpf.Document) (map[cpf.Document]SubscriberID, error)
	// Services returns the services of each subscriber, in order of creation.
	Services(context.Context, []SubscriberID) (map[SubscriberID][]Service, error)
	ServicesByID(context.Context, []ServiceID) (map[ServiceID]Service, error)
	Operations(context.Context, []OperationID) (map[OperationID]Operation, error)
	// Queue returns up to n services in status limitReached, the first queued first.
	Queue(ctx context.Context, n int) ([]Service, error)
	// QueuePositions returns the position in the queue, from 1, of each operation.
	QueuePositions(context.Context, []OperationID) (map[OperationID]int, error)

	// InsertSubscribers inserts the subscribers whose document is new. It returns the documents
	// that already exist and does not change their subscribers. Ids and documents must be
	// distinct.
	InsertSubscribers(context.Context, []Subscriber) (existing map[cpf.Document]bool, err error)
	// UpdateSubscriber writes all fields but id and creation time. It returns
	// SubscriberExists when the document belongs to another subscriber.
	UpdateSubscriber(context.Context, Subscriber) error
	// EraseSubscriber deletes the subscriber, the jobs, links and schedules of its
	// services, and the bodies of the stored responses about it alone. Services,
	// operations, events and partner events stay, without their reasons.
	EraseSubscriber(context.Context, SubscriberID) error

	InsertServices(context.Context, []Service) error
	UpdateServices(context.Context, []Service) error
	InsertOperations(context.Context, []Operation) error
	UpdateOperations(context.Context, []OperationChange) error
	InsertEvents(context.Context, []Event) error
	// BeginIntervals stores open intervals.
	BeginIntervals(context.Context, []EnabledInterval) error
	// EndIntervals sets End and EndEvent of the open interval of each service, begun in an earlier
	// transaction. An interval that would end before it began, because a clock was set back, ends
	// when it began.
	EndIntervals(context.Context, []EnabledInterval) error
	InsertJobs(context.Context, []Job) error
	// FinishJobs is like [Outbox.FinishJobs], without links.
	FinishJobs(context.Context, []Job) error
	// WaitingSchedules returns the schedules that wait for the services, the oldest first.
	WaitingSchedules(context.Context, []ServiceID) ([]Schedule, error)
	InsertSchedules(context.Context, []*Schedule) error
	// UpdateSchedules writes State, Code and EndedAt.
	UpdateSchedules(context.Context, []*Schedule) error
	// Callback returns the provider's activation callback when it is enabled.
	Callback(context.Context) (c Callback, found bool, err error)
	// AddPartnerEvent stores an event. It reports false, and stores nothing, when the
	// partner sent an event with this id before.
	AddPartnerEvent(context.Context, PartnerEvent) (added bool, err error)
	// SetPartnerEventState writes the reason of a partner event and changes its state
	// from e.State to to. It reports false when the event no longer has the state e.State.
	SetPartnerEventState(ctx context.Context, e PartnerEvent, to PartnerEventState) (set bool, err error)
	// MarkLinkUsed marks an activation link as used.
	MarkLinkUsed(ctx context.Context, hash [32]byte, at time.Time) error

	// AccessTokens returns the provider's tokens by id, ended ones included, without
	// hashes.
	AccessTokens(context.Context) ([]AccessToken, error)
	// InsertAccessToken adds a token and returns its id.
	InsertAccessToken(context.Context, AccessToken) (TokenID, error)
	// RotateAccessToken makes Hash that of the secret in use. The one before is accepted
	// until SecretEndsAt, and none before it.
	RotateAccessToken(context.Context, AccessToken) error
	// RevokeAccessToken writes RevokedAt and deletes the bearer tokens made from it.
	RevokeAccessToken(context.Context, AccessToken) error

	// AddRecord adds an entry to the operator's record.
	AddRecord(context.Context, RecordEntry) error

	// StoredResponse returns the response stored under an idempotency key.
	StoredResponse(ctx context.Context, key [32]byte) (r EarlierResponse, found bool, err error)
	// SaveResponse stores the response of an idempotency key, compressed and encrypted with
	// its secret.
	SaveResponse(context.Context, StoredResponse) error
}

// Queries are the reads to which no rule applies; [Manager] offers them unchanged. Lists of what
// the operator configures are in order of id.
type Queries interface {
	// EachSubscriber calls fn for every subscriber, in constant memory and
	// without one long snapshot. The value is reused between calls.
	EachSubscriber(ctx context.Context, p ProviderID, fn func(*SubscriberServices) error) error
	// Search returns up to limit matches after the first offset, and the
	// number of all matches.
	Search(ctx context.Context, p ProviderID, t SearchTerm, offset, limit int) ([]SubscriberServices, int, error)
	// EachMatch calls fn for every match. It holds the ids of all matches and a
	// few subscribers in memory. The value is reused between calls.
	EachMatch(ctx context.Context, p ProviderID, t SearchTerm, fn func(*SubscriberServices) error) error
	// LastEvent returns the id of the newest event ever written, even if it has been deleted. If
	// there is none, the id is below that of the provider's first event.
	LastEvent(context.Context, ProviderID) (EventID, error)
	// Offers returns the products the provider may sell, by id.
	Offers(context.Context, ProviderID) ([]Product, error)
	InternetSpeeds(context.Context) ([]InternetSpeed, error)
	Providers(context.Context) ([]Provider, error)
	Products(context.Context) ([]Product, error)
	Partners(context.Context) ([]Partner, error)
	Callbacks(context.Context) ([]Callback, error)
	// AccessTokens returns the tokens of the providers by id, ended ones included,
	// without hashes.
	AccessTokens(context.Context, []ProviderID) ([]AccessToken, error)
	// Jobs lists jobs for the operator, oldest first.
	Jobs(context.Context, JobFilter) ([]Delivery, error)
	// ListOperations lists operations for the operator, oldest first.
	ListOperations(context.Context, OperationFilter) ([]OperationEntry, error)
	// PartnerEvents lists the events in the given states, oldest first.
	PartnerEvents(context.Context, []PartnerEventState) ([]PartnerEvent, error)
	// FeedCallbacks lists the feed callbacks in one statement.
	FeedCallbacks(context.Context) ([]FeedCallback, error)
	// Record returns the operator's record since a time, oldest first.
	Record(ctx context.Context, since time.Time) ([]RecordEntry, error)
}

// Reader reads what one provider owns. Lists are in order of creation.
type Reader interface {
	// Subscriber returns one subscriber, and the products of its services with only id, name and
	// code.
	Subscriber(context.Context, ProviderID, cpf.Document) (s SubscriberServices, products []Product, found bool, err error)
	CountSubscribers(context.Context, ProviderID) (int, error)
	// SubscriberPage returns up to limit subscribers after the first offset. Their services have
	// only id, product, status and times, as in EachSubscriber.
	SubscriberPage(ctx context.Context, p ProviderID, offset, limit int) ([]SubscriberServices, error)
	// History returns the events of one subscriber, oldest first, without Document.
	History(context.Context, SubscriberID) ([]Event, error)
	// Events returns the events with the next limit ids after the cursor, oldest first. Cursor 0
	// starts at the oldest stored event.
	Events(ctx context.Context, p ProviderID, after EventID, limit int) ([]Event, error)
	// Schedules returns the schedules of q, with Document and ActorName, in order of creation.
	Schedules(ctx context.Context, q ScheduleQuery) ([]Schedule, error)
	// CountSchedules returns the number of the provider's schedules, or of those of one
	// subscriber, unless that is 0.
	CountSchedules(context.Context, ProviderID, SubscriberID) (int, error)
	// Intervals returns the intervals of one subscriber's services.
	Intervals(context.Context, SubscriberID) ([]EnabledInterval, error)
	// EachInterval calls fn for every interval that overlaps the period of q, in order of service
	// and beginning, in constant memory and without one long snapshot. An interval that ended
	// after q.LastEvent is still open. The value is reused between calls.
	EachInterval(ctx context.Context, p ProviderID, q IntervalQuery, fn func(*ServiceInterval) error) error
	// EachIntervalEdge calls fn for the beginnings and ends within the period of q whose events
	// are from first to q.LastEvent, in order of events. It reads as EachInterval does.
	EachIntervalEdge(ctx context.Context, first EventID, q IntervalQuery, fn func(IntervalEdge)) error
}

// Registry stores what the operator configures: providers, products, internet speeds and partners.
// A method that takes fn reads and writes in one transaction, so that concurrent changes both take
// effect. It writes nothing if fn returns an error, and may run fn again from the start.
type Registry interface {
	// CreateProvider adds a provider that may sell the products, with its access
	// tokens, and assigns the ids. It returns NameTaken when the name exists.
	CreateProvider(ctx context.Context, p Provider, products []int, tokens ...AccessToken) (Provider, error)
	// ProviderByName returns NotFound when the name does not exist.
	ProviderByName(context.Context, string) (Provider, error)

	// UpdateBrand changes the brand of a provider with fn, which gets the zero Brand if there is
	// none.
	UpdateBrand(ctx context.Context, p ProviderID, fn func(*Brand)) (Brand, error)
	// Brands returns the brands of the providers that have one.
	Brands(context.Context, []ProviderID) (map[ProviderID]Brand, error)

	// CreateProduct returns NameTaken when the id or the code exists.
	CreateProduct(context.Context, Product) error
	// UpdateProduct changes a product, except its id, with fn. No write that has read the products
	// runs meanwhile. It returns NotFound if the product does not exist, and FamilyConflict if a
	// subscriber would then have two live tokens of one family, or could get two of one product
	// because a change within the family is under way or has failed.
	UpdateProduct(ctx context.Context, id int, fn func(*Product) error) (Product, error)
	// Grant allows or forbids the provider to sell the products.
	Grant(ctx context.Context, p ProviderID, ids []int, granted bool) error

	// CreateInternetSpeed returns NameTaken when the id, the text or the slug exists.
	CreateInternetSpeed(context.Context, InternetSpeed) error

	// CreatePartner assigns the id. It returns NameTaken when the name exists.
	CreatePartner(context.Context, Partner) (Partner, error)
	// UpdatePartner changes URL, delay and failure rate of a partner with fn. It returns NotFound
	// if the name does not exist.
	UpdatePartner(ctx context.Context, name string, fn func(*Partner) error) (Partner, error)
}

// Tokens stores the hashes of access tokens and of the bearer tokens issued for them.
type Tokens interface {
	// AccessTokenByHash finds a token, expired or not, by the hash of its current or its previous
	// secret. For the previous one it sets SecretEndsAt and that secret's generation. It does not
	// find revoked tokens and those of disabled providers.
	AccessTokenByHash(context.Context, [32]byte) (t AccessToken, found bool, err error)
	// SetTokensUsed writes the last use of tokens, unless a later one is stored.
	SetTokensUsed(context.Context, map[TokenID]time.Time) error
	SaveBearer(context.Context, BearerToken) error
	// BearerByHash finds a bearer token, expired or not. It finds none whose access token is
	// revoked, whose provider is disabled, or whose secret is neither the current nor the previous
	// one.
	BearerByHash(context.Context, [32]byte) (t BearerToken, found bool, err error)
}

// Callbacks stores the URLs that providers register for resent activations and for their feeds.
type Callbacks interface {
	// SetCallback registers or replaces the provider's callback.
	SetCallback(context.Context, Callback) error
	// EnableCallback turns a callback on or off. It returns NotFound when the
	// provider has none.
	EnableCallback(ctx context.Context, p ProviderID, enabled bool) error
	// RecordCallbackResult resets the number of consecutive failures after a success, and
	// increments it after a failure.
	RecordCallbackResult(ctx context.Context, p ProviderID, succeeded bool) error
	// UpdateFeedCallback reads a provider's feed callback, without the fields that only lists set,
	// and writes it back if fn returns nil, in one transaction. If there is none, fn gets one
	// without URL. fn may run again from the start.
	UpdateFeedCallback(ctx context.Context, p ProviderID, fn func(*FeedCallback) error) error
}

// Outbox stores the jobs to deliver, and reads what delivering them needs.
type Outbox interface {
	// DueDestinations returns the ids of the destinations that have due jobs of the kind at now.
	// It only reads.
	DueDestinations(ctx context.Context, kind JobKind, now time.Time) ([]int64, error)
	// ClaimJobs leases up to n jobs to the destination that are due at the time due, until the
	// time until: first the urgent ones, then the others, each oldest first. A job whose lease has
	// ended is due again.
	ClaimJobs(ctx context.Context, to Destination, n int, due, until time.Time) ([]Job, error)
	// FinishJobs writes state, attempts, next time, last error, the time of the
	// last attempt and RefusedSince of claimed jobs, and inserts links. It ignores jobs that were
	// erased meanwhile.
	FinishJobs(context.Context, []Job, []Link) error
	// RescheduleJobs makes the jobs due at the given time and resets their attempts. If one of
	// them is leased or done, it changes none and returns NotWaiting.
	RescheduleJobs(ctx context.Context, jobs []Delivery, at time.Time) error
	// MakeFutureJobsDue makes jobs due now that were scheduled by a clock that has since been set
	// back. Of the jobs that wait beyond soon, these are the ones attempted after soon, the leased
	// ones, and the ones that wait beyond latest, except attempted callbacks.
	MakeFutureJobsDue(ctx context.Context, now, soon, latest time.Time) error
	// LastEventTime returns the time of the newest event of all providers, or zero if there is
	// none.
	LastEventTime(context.Context) (time.Time, error)
	// SubscriberDeliveries returns the jobs of one subscriber, the newest first.
	SubscriberDeliveries(context.Context, SubscriberID) ([]SubscriberDelivery, error)
	// MarkOpened sets when a link of the job that carried it was opened, unless it is set.
	MarkOpened(ctx context.Context, l Link, at time.Time) error
	LinkByHash(context.Context, [32]byte) (l Link, found bool, err error)
	// ServiceDetails returns the services of any provider with their subscribers.
	ServiceDetails(context.Context, []ServiceID) (map[ServiceID]ServiceDetails, error)
}

// PartnerEventStore keeps partner events.
type PartnerEventStore interface {
	// AddPartnerEvent is like [Tx.AddPartnerEvent], for an event whose operation belongs to no
	// provider.
	AddPartnerEvent(context.Context, PartnerEvent) (added bool, err error)
}

// OperatorRecord keeps the operator's record. No entry is ever changed, but for the counts
// of refused requests.
type OperatorRecord interface {
	AddRecord(context.Context, RecordEntry) error
	// CountRefused adds to the counts of refused requests by hour, address and request.
	CountRefused(context.Context, []RecordEntry) error
}

// Maintenance finds operations and queues that need attention, and deletes old rows.
type Maintenance interface {
	// LateOperations returns up to n waiting operations whose deadline is now or earlier.
	LateOperations(ctx context.Context, now time.Time, n int) ([]Operation, error)
	// SetActivationDeadlines gives activations in progress without a deadline one, a time after they
	// came into progress.
	SetActivationDeadlines(ctx context.Context, ttl time.Duration) error
	// DueSchedules returns up to n waiting schedules that are due at now, the first due first.
	DueSchedules(ctx context.Context, now time.Time, n int) ([]Schedule, error)
	// PromotableProviders returns the providers that have queued services and
	// are below their limit.
	PromotableProviders(context.Context) ([]ProviderID, error)
	// Purge deletes rows older than the cutoffs.
	Purge(context.Context, RetentionCutoffs) error
}

type bulkKey struct{}

// WithBulk returns a context whose writes give way to those that somebody waits for. It is for
// requests of many elements, which take many transactions, and for background work.
func WithBulk(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, true)
}

// IsBulk reports whether ctx was derived from [WithBulk].
func IsBulk(ctx context.Context) bool { return ctx.Value(bulkKey{}) != nil }
