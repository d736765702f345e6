package delivery

import (
	"context"
	"sync"
	"time"

	"ativa/internal/provision"
)

const (
	maxClaim      = 200         // jobs claimed at once
	leaseDuration = time.Minute // after which another worker takes a job over
	// busyInterval is the time between two claims of a kind while people wait for an
	// import or a batch, which deliveries would slow down: 250 a second at most.
	busyInterval = 800 * time.Millisecond
)

// transport describes how deliveries of one kind reach their destinations.
type transport struct {
	kind              provision.JobKind
	concurrency       int           // deliveries at once to one destination
	batchSize         int           // deliveries whose outcome is written together
	timeout           time.Duration // of one attempt; shorter than leaseDuration
	useCircuitBreaker bool          // stop calling a destination that fails repeatedly
	singleDestination bool          // every delivery of the kind has the same destination

	// handleLocally completes the deliveries that call nobody and returns the
	// others. It may be nil.
	handleLocally func(context.Context, []provision.ClaimedDelivery) ([]provision.ClaimedDelivery, error)
	destination   func(provision.ClaimedDelivery) string // returns the name of the destination, or "" if it no longer exists
	// deliver makes one attempt. Its errors are [PermanentError] and [TemporaryError].
	deliver func(context.Context, provision.ClaimedDelivery) error
	// retryDelay returns how long a job that failed with err waits for its next
	// attempt, and false if there is none.
	retryDelay func(j provision.Job, err error) (time.Duration, bool)
	// recordOutcome changes more than the job after an attempt: j is the job as it
	// is to be written.
	recordOutcome func(ctx context.Context, j provision.Job) error
	onIdle        func() // called when a destination's queue becomes empty. It may be nil.
}

// kindWorker claims the jobs of one kind and adds each to the queue of its
// destination.
type kindWorker struct {
	*transport
	worker *Worker
	woken  chan struct{}

	mu     sync.Mutex
	queues map[string]*destinationQueue
}

func newKindWorker(w *Worker, t *transport) *kindWorker {
	return &kindWorker{transport: t, worker: w, woken: make(chan struct{}, 1), queues: map[string]*destinationQueue{}}
}

// wake makes the worker claim at once. It never blocks.
func (k *kindWorker) wake() { signal(k.woken) }

// signal fills a channel of one place and never blocks.
func signal(woken chan<- struct{}) {
	select {
	case woken <- struct{}{}:
	default:
	}
}

func (k *kindWorker) queueFor(name string) *destinationQueue {
	k.mu.Lock()
	defer k.mu.Unlock()
	q, ok := k.queues[name]
	if !ok {
		q = &destinationQueue{kindWorker: k, averageDuration: 50 * time.Millisecond}
		k.queues[name] = q
	}
	return q
}

func (k *kindWorker) run(ctx context.Context) {
	for ctx.Err() == nil {
		more, err := k.claimAndDistribute(ctx)
		k.worker.logError(ctx, "delivery", err, "kind", k.kind.String())
		pause, woken := pollInterval, k.woken
		if more && err == nil {
			if !k.worker.outbox.Busy() {
				continue
			}
			pause, woken = busyInterval, nil
		}
		select {
		case <-ctx.Done():
		case <-woken:
		case <-time.After(pause):
		}
	}
}

// claimAndDistribute claims up to maxClaim jobs and adds them to the queues of
// their destinations; more is true if it claimed any. It never waits for a
// destination: a job that its queue does not accept is postponed.
func (k *kindWorker) claimAndDistribute(ctx context.Context) (more bool, err error) {
	n := maxClaim
	if k.singleDestination {
		n = k.queueFor("").available()
	}
	if n == 0 {
		return false, nil
	}
	claimed, err := k.worker.outbox.Claim(ctx, k.kind, n, leaseDuration)
	if err != nil || len(claimed) == 0 {
		return false, err
	}
	if k.handleLocally != nil {
		if claimed, err = k.handleLocally(context.WithoutCancel(ctx), claimed); err != nil {
			return false, err
		}
	}
	var postponed, undeliverable []provision.Job
	for _, d := range claimed {
		to := k.destination(d)
		if to == "" && !k.singleDestination {
			undeliverable = append(undeliverable, d.Job)
			continue
		}
		if until, ok := k.queueFor(to).accept(ctx, d); !ok {
			d.Job.NextAt = until
			postponed = append(postponed, d.Job)
		}
	}
	if len(undeliverable) > 0 {
		reason := k.kind.String() + ": it is disabled or was removed"
		k.worker.writeWithRetry(ctx, func(ctx context.Context) error {
			return k.worker.outbox.GiveUp(ctx, undeliverable, reason)
		})
	}
	k.postpone(ctx, postponed)
	return true, nil
}

// postpone returns claimed jobs to the outbox until their NextAt, without
// counting an attempt.
func (k *kindWorker) postpone(ctx context.Context, jobs []provision.Job) {
	if len(jobs) > 0 {
		k.worker.writeWithRetry(ctx, func(ctx context.Context) error { return k.worker.outbox.Postpone(ctx, jobs) })
	}
}

// markDone returns the job as delivered now.
func markDone(o Outbox, j provision.Job) provision.Job {
	now := o.Now()
	j.State, j.NextAt, j.LastError, j.LastAttemptAt = provision.JobDone, now, "", now
	return j
}
