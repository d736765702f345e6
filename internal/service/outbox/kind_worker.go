package outbox

import (
	"context"
	"sync"
	"time"

	"ativa/internal/service/domain"
)

const (
	maxClaim      = 200         // maximum number of jobs claimed at once
	leaseDuration = time.Minute // after which another worker takes over a job
	// busyInterval is the time between two claims of a kind while an import or a batch is running,
	// which deliveries would slow down: at most 250 a second.
	busyInterval = 800 * time.Millisecond
)

// transport describes how deliveries of one kind reach their destinations.
type transport struct {
	kind              domain.JobKind
	concurrency       int           // deliveries at once to one destination
	batchSize         int           // deliveries whose outcomes are written together
	timeout           time.Duration // of one attempt; shorter than leaseDuration
	useCircuitBreaker bool          // stop calling a destination that fails repeatedly

	// handleLocally returns the function that completes the deliveries to a destination that is
	// not called, or nil for one that is. The field may be nil.
	handleLocally func(domain.Destination) func(context.Context, []domain.ClaimedDelivery) error
	// deliver makes one attempt. Its errors are *PermanentError or *TemporaryError.
	deliver func(context.Context, domain.ClaimedDelivery) error
	// retryDelay returns how long a failed job waits for its next attempt, and false
	// if there is none.
	retryDelay func(j domain.Job) (time.Duration, bool)
	// recordOutcome makes changes beyond the job after an attempt. j is the job to be written.
	recordOutcome func(ctx context.Context, j domain.Job) error
	onIdle        func() // called when nothing is in progress and nothing was due; may be nil
}

// kindWorker claims the jobs of one kind, separately for each destination, and no more than it can
// deliver now. A job that it claims but does not attempt is not written back: its lease ends.
type kindWorker struct {
	*transport
	worker *Worker
	woken  chan struct{}

	mu     sync.Mutex
	queues map[int64]*destinationQueue
}

func newKindWorker(w *Worker, t *transport) *kindWorker {
	return &kindWorker{transport: t, worker: w, woken: make(chan struct{}, 1), queues: map[int64]*destinationQueue{}}
}

// wake makes the worker claim at once. It never blocks.
func (k *kindWorker) wake() { signal(k.woken) }

// signal sends to a channel of capacity one without blocking.
func signal(woken chan<- struct{}) {
	select {
	case woken <- struct{}{}:
	default:
	}
}

func (k *kindWorker) queueFor(destination int64) *destinationQueue {
	k.mu.Lock()
	defer k.mu.Unlock()
	q, ok := k.queues[destination]
	if !ok {
		q = &destinationQueue{kindWorker: k, window: k.concurrency, averageDuration: 50 * time.Millisecond}
		k.queues[destination] = q
	}
	return q
}

func (k *kindWorker) run(ctx context.Context) {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for ctx.Err() == nil {
		claimed, err := k.claimDue(ctx)
		k.worker.logError(ctx, "delivery", err, "kind", k.kind.String())
		if claimed && err == nil {
			if k.worker.rules.Busy() {
				wait(ctx, busyInterval)
			}
			continue
		}
		if !claimed && k.onIdle != nil && k.isIdle() {
			k.onIdle()
		}
		select {
		case <-ctx.Done():
		case <-k.woken:
			drain(poll.C)
		case <-poll.C:
			drain(k.woken)
		}
	}
}

func (k *kindWorker) isIdle() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, q := range k.queues {
		if q.isRunning() {
			return false
		}
	}
	return true
}

// claimDue claims jobs for every destination that can accept some. claimed reports whether there
// were any. It never waits for a destination.
func (k *kindWorker) claimDue(ctx context.Context) (claimed bool, err error) {
	due, err := k.worker.queue.DueDestinations(ctx, k.kind)
	if err != nil {
		return false, err
	}
	for _, to := range due {
		n, err := k.claimFor(ctx, to)
		if err != nil {
			return false, err
		}
		claimed = claimed || n > 0
	}
	return claimed, nil
}

// claimFor claims jobs for one destination and returns their number.
func (k *kindWorker) claimFor(ctx context.Context, to domain.Destination) (int, error) {
	if k.handleLocally != nil {
		if complete := k.handleLocally(to); complete != nil {
			claimed, err := k.worker.queue.Claim(ctx, to, maxClaim, leaseDuration)
			if err != nil || len(claimed) == 0 {
				return 0, err
			}
			return len(claimed), complete(context.WithoutCancel(ctx), claimed)
		}
	}
	q := k.queueFor(to.ID)
	n := q.room()
	if n == 0 {
		return 0, nil
	}
	claimed, err := k.worker.queue.Claim(ctx, to, n, leaseDuration)
	if err != nil {
		return 0, err
	}
	q.add(ctx, claimed)
	return len(claimed), nil
}

// markDone returns the job as delivered now.
func markDone(o Deliveries, j domain.Job) domain.Job {
	now := o.Now()
	j.State, j.NextAt, j.LastError, j.LastAttemptAt = domain.JobDone, now, "", now
	return j
}
