package outbox

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

const (
	maxClaim      = 200         // maximum number of deliveries claimed at once
	leaseDuration = time.Minute // after which another worker takes over a delivery
	// deliveryPause is the time that a sender waits for each claimed delivery, at most 250 a second,
	// so that deliveries do not slow down an import.
	deliveryPause = 4 * time.Millisecond
)

// transport describes how deliveries of one kind reach their destinations.
type transport struct {
	kind              domain.DeliveryKind
	concurrency       int           // deliveries at once to one destination
	batchSize         int           // deliveries whose outcomes are written together
	timeout           time.Duration // of one attempt; shorter than leaseDuration
	useCircuitBreaker bool          // stop calling a destination that fails repeatedly

	isCalled func(domain.Destination) bool // whether its deliveries are attempted, not completed here
	// complete completes deliveries to one destination that is not called. It may be nil if all are.
	complete func(context.Context, []domain.ClaimedDelivery) error
	// deliver makes one attempt. Its errors are *DeliveryError.
	deliver func(context.Context, domain.ClaimedDelivery) error
	// retryDelay returns how long a failed delivery waits for its next attempt, and false
	// if there is none.
	retryDelay func(j domain.Delivery) (time.Duration, bool)
	// recordOutcome makes changes beyond the delivery after an attempt. j is the delivery to be written.
	recordOutcome func(ctx context.Context, j domain.Delivery) error
	onIdle        func() // called when a destination has nothing in progress and nothing due; default none
}

// kindWorker finds destinations with due deliveries of one kind and notifies their senders.
type kindWorker struct {
	*transport
	worker *Worker
	woken  chan struct{}
}

func newKindWorker(w *Worker, t *transport) *kindWorker {
	if t.onIdle == nil {
		t.onIdle = func() {}
	}
	return &kindWorker{transport: t, worker: w, woken: make(chan struct{}, 1)}
}

// wake makes the worker look for due deliveries at once. It never blocks.
func (k *kindWorker) wake() { signal(k.woken, struct{}{}) }

// signal sends to a channel of capacity one without blocking.
func signal[T any](to chan<- T, v T) {
	select {
	case to <- v:
	default:
	}
}

// run starts a sender for each destination that ever has due deliveries.
func (k *kindWorker) run(ctx context.Context) {
	senders := map[int64]*sender{}
	poll(ctx, k.woken, func() {
		due, err := k.worker.queue.DueDestinations(ctx, k.kind)
		k.logError(ctx, err)
		for _, to := range due {
			s, started := senders[to.ID]
			if !started {
				s = &sender{kindWorker: k, due: make(chan domain.Destination, 1), results: make(chan []domain.Delivery, k.concurrency)}
				senders[to.ID] = s
				k.worker.inFlight.Go(func() { s.run(ctx) })
			}
			signal(s.due, to)
		}
	})
}

func (k *kindWorker) logError(ctx context.Context, err error) {
	k.worker.logError(ctx, "delivery", err, "kind", k.kind.String())
}

func deliveriesOf(claimed []domain.ClaimedDelivery) []domain.Delivery {
	deliveries := make([]domain.Delivery, len(claimed))
	for i, d := range claimed {
		deliveries[i] = d.Delivery
	}
	return deliveries
}

// markDone returns the delivery as delivered now.
func (w *Worker) markDone(j domain.Delivery) domain.Delivery {
	now := w.now()
	j.State, j.NextAt, j.LastError, j.LastAttemptAt = domain.OutboxDone, now, "", now
	return j
}
