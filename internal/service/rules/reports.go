package rules

import (
	"context"

	"ativa/internal/cpf"
)

// ReportStore is what the reports read. Lists are in order of creation.
type ReportStore interface {
	// ProviderByName returns NotFound when the name does not exist.
	ProviderByName(context.Context, string) (Provider, error)
	// Subscriber returns one subscriber, and the products of its services with only id, name and
	// code.
	Subscriber(context.Context, ProviderID, cpf.Document) (s SubscriberServices, products []Product, found bool, err error)
	CountSubscribers(context.Context, ProviderID) (int, error)
	// SubscriberPage returns up to limit subscribers after the first offset. Their services have
	// only id, product, status and times.
	SubscriberPage(ctx context.Context, p ProviderID, offset, limit int) ([]SubscriberServices, error)
	// SubscriberDeliveries returns the jobs of one subscriber, the newest first.
	SubscriberDeliveries(context.Context, SubscriberID) ([]SubscriberDelivery, error)
	// Jobs lists jobs, oldest first.
	Jobs(context.Context, JobFilter) ([]Delivery, error)
	// History returns the events of one subscriber, oldest first, without Document.
	History(context.Context, SubscriberID) ([]Event, error)
	// LastEvent returns the id of the newest event ever written, even if it has been deleted. If
	// there is none, the id is below that of the provider's first event.
	LastEvent(context.Context, ProviderID) (EventID, error)
	// Events returns the events with the next limit ids after the cursor, oldest first. Cursor 0
	// starts at the oldest stored event.
	Events(ctx context.Context, p ProviderID, after EventID, limit int) ([]Event, error)
	// Schedules returns the schedules of q, with Document and ActorName, in order of creation.
	Schedules(ctx context.Context, q ScheduleQuery) ([]Schedule, error)
	// CountSchedules returns the number of the provider's schedules, or of those of one
	// subscriber, unless that is 0.
	CountSchedules(context.Context, ProviderID, SubscriberID) (int, error)
	IntervalStore
}

// IntervalStore reads the intervals in which services were enabled.
type IntervalStore interface {
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

// Reports answers what is asked about a provider's data, and changes nothing. It is safe for
// concurrent use.
type Reports struct {
	store ReportStore
	clock Clock
}

// NewReports returns the reports of a database.
func NewReports(store ReportStore, clock Clock) *Reports { return &Reports{store, clock} }
