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
)

// transport is how errands of one kind reach the outside.
type transport struct {
	kind              provision.JobKind
	concurrency       int           // deliveries at once to one destination
	batchSize         int           // errands whose outcome is written together
	timeout           time.Duration // no delivery takes longer; must be below the lease
	useCircuitBreaker bool          // a destination that fails is left alone for a while
	singleDestination bool          // all errands have the same destination

	// first deals with errands that need no destination and returns the rest; may be nil.
	handleLocally func(context.Context, []provision.Errand) ([]provision.Errand, error)
	// to names the destination; "" when there is none any more.
	destination func(provision.Errand) string
	// deliver hands one errand over; see [Permanent] and [Failure] for its errors.
	deliver func(context.Context, provision.Errand) error
	// again says how long a failed job waits, and whether it is worth it.
	retryDelay func(j provision.Job, age time.Duration) (time.Duration, bool)
	// after does what an attempt means beyond the job; err is nil when it was
	// delivered, dead when it is given up. May be nil.
	recordOutcome func(ctx context.Context, e provision.Errand, err error, dead bool) error
	// idle is called when a destination has nothing to do; may be nil.
	onIdle func()
}

// kindWorker claims the jobs of one kind and hands each to the desk of its destination.
type kindWorker struct {
	*transport
	worker *Worker
	woken  chan struct{}

	mu     sync.Mutex
	queues map[string]*destinationQueue
}

func newKindWorker(w *Worker, way *transport) *kindWorker {
	return &kindWorker{transport: way, worker: w, woken: make(chan struct{}, 1), queues: map[string]*destinationQueue{}}
}

// wake tells the lane that there may be something to claim; it never blocks.
func (l *kindWorker) wake() {
	select {
	case l.woken <- struct{}{}:
	default:
	}
}

func (l *kindWorker) destinationQueue(name string) *destinationQueue {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, ok := l.queues[name]
	if !ok {
		d = &destinationQueue{kindWorker: l, name: name, averageDuration: 50 * time.Millisecond}
		l.queues[name] = d
	}
	return d
}

func (l *kindWorker) run(ctx context.Context) {
	for ctx.Err() == nil {
		more, err := l.claimAndDistribute(ctx)
		if err != nil && ctx.Err() == nil {
			l.worker.options.Log.Error("delivery", "kind", l.kind.String(), "error", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-l.woken:
		case <-time.After(pollInterval):
		}
	}
}

// claimAndDistribute claims once and hands out; more says that there may be more at once.
// It never waits for a destination: what one cannot take now goes back.
func (l *kindWorker) claimAndDistribute(ctx context.Context) (more bool, err error) {
	n := maxClaim
	if l.singleDestination {
		n = l.destinationQueue("").available()
	}
	if n == 0 {
		return false, nil
	}
	errands, err := l.worker.outbox.Claim(ctx, l.kind, n, leaseDuration)
	if err != nil || len(errands) == 0 {
		return false, err
	}
	rest := errands
	if l.handleLocally != nil {
		if rest, err = l.handleLocally(context.WithoutCancel(ctx), errands); err != nil {
			return false, err
		}
	}
	var back, done []provision.Job
	for _, e := range rest {
		to := l.destination(e)
		if to == "" && !l.singleDestination {
			done = append(done, markDone(l.worker.outbox, e.Job))
			continue
		}
		if until, ok := l.destinationQueue(to).accept(ctx, e); !ok {
			e.Job.NextAt = until
			back = append(back, e.Job)
		}
	}
	if len(done) > 0 {
		l.worker.writeWithRetry(ctx, func(ctx context.Context) error { return l.worker.outbox.Finish(ctx, done) })
	}
	l.postpone(ctx, back)
	return true, nil
}

// postpone returns claimed jobs until their NextAt, as if never claimed.
func (l *kindWorker) postpone(ctx context.Context, jobs []provision.Job) {
	if len(jobs) > 0 {
		l.worker.writeWithRetry(ctx, func(ctx context.Context) error { return l.worker.outbox.Postpone(ctx, jobs) })
	}
}

func markDone(o Outbox, j provision.Job) provision.Job {
	j.State, j.NextAt, j.LastError = provision.JobDone, o.Now(), ""
	return j
}
