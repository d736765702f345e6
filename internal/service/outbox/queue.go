package outbox

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

// QueueStore stores the jobs to deliver, and reads what delivering them needs.
type QueueStore interface {
	// DueDestinations returns the ids of the destinations that have due jobs of the kind at now.
	// It only reads.
	DueDestinations(ctx context.Context, kind domain.JobKind, now time.Time) ([]int64, error)
	// ClaimJobs leases up to n jobs to the destination that are due at the time due, until the
	// time until: first the urgent ones, then the others, each oldest first. A job whose lease has
	// ended is due again.
	ClaimJobs(ctx context.Context, to domain.Destination, n int, due, until time.Time) ([]domain.Job, error)
	// FinishJobs writes state, attempts, next time, last error, the time of the last attempt and
	// RefusedSince of claimed jobs, and inserts links. It ignores jobs that were erased meanwhile, and
	// those whose next time no longer is ReadNextAt: their lease ended, and another server claimed them.
	FinishJobs(context.Context, []domain.Job, []domain.Link) error
	// RescheduleJobs makes the jobs due at the given time and resets their attempts. If one of
	// them is leased or done, it changes none and returns NotWaiting.
	RescheduleJobs(ctx context.Context, jobs []domain.JobEntry, at time.Time) error
	// RecordCallbackResult resets the number of consecutive failures after a success, and
	// increments it after a failure.
	RecordCallbackResult(ctx context.Context, p domain.ProviderID, succeeded bool) error
	// Jobs lists jobs, oldest first.
	Jobs(context.Context, domain.JobFilter) ([]domain.JobEntry, error)

	Partners(context.Context) ([]domain.Partner, error)
	Callbacks(context.Context) ([]domain.Callback, error)
	// Brands returns the brands of the providers that have one.
	Brands(context.Context, []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error)
	// ServiceDetails returns the services of any provider with their subscribers.
	ServiceDetails(context.Context, []domain.ServiceID) (map[domain.ServiceID]domain.ServiceDetails, error)
}

// Queue is the queue of jobs to deliver: it leases them and writes their outcomes. It is safe for
// concurrent use.
type Queue struct {
	store QueueStore
	clock domain.Clock
}

// NewQueue returns the queue of a database.
func NewQueue(store QueueStore, clock domain.Clock) *Queue { return &Queue{store, clock} }
