package reports

import (
	"context"

	"ativa/internal/cpf"
	"ativa/internal/service/domain"
)

// Store reads the rows of reports. Lists are in order of creation.
type Store interface {
	// ProviderByName returns NotFound when the name does not exist.
	ProviderByName(context.Context, string) (domain.Provider, error)
	// Subscriber returns one subscriber, and the products of its services with only id, name and
	// code.
	Subscriber(context.Context, domain.ProviderID, cpf.Document) (s domain.SubscriberServices, products []domain.Product, found bool, err error)
	// SubscriberDeliveries returns the deliveries of one subscriber, the newest first.
	SubscriberDeliveries(context.Context, domain.SubscriberID) ([]domain.SubscriberDelivery, error)
	// History returns the events of one subscriber, oldest first, without Document.
	History(context.Context, domain.SubscriberID) ([]domain.Event, error)
	// LastEvent returns the id of the newest event ever written, even if it has been deleted. If
	// there is none, the id is below that of the provider's first event.
	LastEvent(context.Context, domain.ProviderID) (domain.EventID, error)
	// Events returns the events with the next limit ids after the cursor, oldest first. Cursor 0
	// starts at the oldest stored event.
	Events(ctx context.Context, p domain.ProviderID, after domain.EventID, limit int) ([]domain.Event, error)
	// Schedules returns the schedules of q, with Document and ActorName, in order of creation.
	Schedules(ctx context.Context, q domain.ScheduleQuery) ([]domain.Schedule, error)
	// Intervals returns the intervals of one subscriber's services.
	Intervals(context.Context, domain.SubscriberID) ([]domain.EnabledInterval, error)
	// EachInterval calls fn for every interval that overlaps the period of q, in order of service
	// and beginning, in constant memory and without one long snapshot. An interval that ended
	// after q.LastEvent is still open. The value is reused between calls.
	EachInterval(ctx context.Context, p domain.ProviderID, q domain.IntervalQuery, fn func(*domain.ServiceInterval) error) error
	// EachIntervalEdge calls fn for the beginnings and ends within the period of q whose events
	// are from first to q.LastEvent, in order of events. It reads as EachInterval does.
	EachIntervalEdge(ctx context.Context, first domain.EventID, q domain.IntervalQuery, fn func(domain.IntervalEdge)) error
}

// Reports reads a provider's data, and changes nothing. It is safe for concurrent use.
type Reports struct {
	store Store
	clock domain.Clock
}

// New returns the reports of a database.
func New(store Store, clock domain.Clock) *Reports { return &Reports{store, clock} }
