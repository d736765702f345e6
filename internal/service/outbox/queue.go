package outbox

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

// QueueStore stores the deliveries, and reads what delivering them needs.
type QueueStore interface {
	// DueDestinations returns the ids of the destinations that have due deliveries of the kind at now.
	// It only reads.
	DueDestinations(ctx context.Context, kind domain.DeliveryKind, now time.Time) ([]int64, error)
	// ClaimDeliveries leases up to n deliveries to the destination that are due at the time due, until the
	// time until: first the urgent ones, then the others, each oldest first. A delivery whose lease has
	// ended is due again.
	ClaimDeliveries(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Delivery, error)
	// FinishDeliveries writes state, attempts, next time, last error, the time of the last attempt and
	// RefusedSince of claimed deliveries, and inserts links. It ignores deliveries that were erased meanwhile, and
	// those whose next time no longer is ReadNextAt: their lease ended, and another server claimed them.
	FinishDeliveries(context.Context, []domain.Delivery, []domain.Link) error
	// RescheduleDeliveries makes the deliveries due at the given time and resets their attempts. If one of
	// them is leased or done, it changes none and returns NotWaiting.
	RescheduleDeliveries(ctx context.Context, deliveries []domain.Delivery, at time.Time) error
	// RecordCallbackResult resets the number of consecutive failures after a success, and
	// increments it after a failure.
	RecordCallbackResult(ctx context.Context, p domain.ProviderID, succeeded bool) error
	// Deliveries lists deliveries, oldest first.
	Deliveries(context.Context, domain.DeliveryFilter) ([]domain.Delivery, error)

	Partners(context.Context) ([]domain.Partner, error)
	Callbacks(context.Context) ([]domain.Callback, error)
	// Brands returns the brands of the providers that have one.
	Brands(context.Context, []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error)
	// ServiceDetails returns the services of any provider with their subscribers.
	ServiceDetails(context.Context, []domain.ServiceID) (map[domain.ServiceID]domain.ServiceDetails, error)
}

// Queue is the queue of deliveries: it leases them and writes their outcomes. It is safe for
// concurrent use.
type Queue struct {
	store QueueStore
	clock domain.Clock
}

// NewQueue returns the queue of a database.
func NewQueue(store QueueStore, clock domain.Clock) *Queue { return &Queue{store, clock} }
