package outbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"ativa/internal/service/domain"
)

const (
	maxQueuedWork = time.Second     // estimated delivery time of the work waiting in a queue
	leaseMargin   = 3 * time.Second // minimum time between the end of an attempt and the end of its lease
	maxErrorBytes = 300             // maximum length of a stored error in bytes
)

// destinationQueue delivers to one destination, up to concurrency deliveries at once. It holds
// claimed deliveries for about a second of work; after a failure, no more than concurrency plus
// the number of successes since. Its circuit breaker stops deliveries to a failing destination.
type destinationQueue struct {
	*kindWorker

	mu              sync.Mutex
	waiting         []domain.ClaimedDelivery
	running         int
	window          int // maximum number of claimed deliveries; grows by one with each success
	circuit         circuitBreaker
	averageDuration time.Duration // moving average of the duration of an attempt
}

// room returns how many deliveries the queue can accept now: none while more than half of its
// capacity is waiting, and one if the circuit breaker admits a probe.
func (q *destinationQueue) room() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.circuit.isOpen() {
		if q.circuit.probing || q.circuit.remaining() > 0 {
			return 0
		}
		return 1
	}
	capacity := int(time.Duration(q.concurrency) * maxQueuedWork / q.averageDuration)
	capacity = min(max(capacity, q.concurrency), q.window)
	if 2*len(q.waiting) > capacity {
		return 0
	}
	return max(capacity-len(q.waiting)-q.running, 0)
}

// add queues claimed deliveries, the urgent ones before the others.
func (q *destinationQueue) add(ctx context.Context, claimed []domain.ClaimedDelivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(claimed) == 0 {
		return
	}
	if q.circuit.isOpen() {
		q.circuit.probing, claimed = true, claimed[:1]
	}
	place := slices.IndexFunc(q.waiting, func(d domain.ClaimedDelivery) bool { return !d.Urgent })
	if place < 0 || !claimed[0].Urgent {
		place = len(q.waiting)
	}
	q.waiting = slices.Insert(q.waiting, place, claimed...)
	for range min(len(claimed), q.concurrency-q.running) {
		q.running++
		q.worker.inFlight.Go(func() { q.run(ctx) })
	}
}

func (q *destinationQueue) isRunning() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running > 0
}

// run delivers until the queue is empty. One write records the outcomes of a batch
// and prepares the next one.
func (q *destinationQueue) run(ctx context.Context) {
	var done []domain.Job
	for {
		batch := q.take(ctx)
		written := q.worker.writeWithRetry(ctx, func(ctx context.Context) error { return q.worker.queue.Finish(ctx, done, batch) })
		if q.room() > 0 {
			q.wake()
		}
		if len(batch) == 0 {
			return
		}
		done = nil
		if !written {
			q.cancelProbe()
			continue
		}
		for _, d := range batch {
			if !q.hasTime(d) { // the write took too long
				q.cancelProbe()
			} else if j, ok := q.attempt(ctx, d); ok {
				done = append(done, j)
			}
		}
	}
}

// hasTime reports whether an attempt would end before the lease does.
func (q *destinationQueue) hasTime(d domain.ClaimedDelivery) bool {
	return d.NextAt.Sub(q.worker.queue.Now()) >= q.timeout+leaseMargin
}

// take removes the next batch from the queue. An empty batch ends the caller. take drops
// everything after a stop and while the circuit breaker is open, and deliveries that would outlive
// their lease.
func (q *destinationQueue) take(ctx context.Context) (batch []domain.ClaimedDelivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ctx.Err() != nil || q.circuit.isOpen() && !q.circuit.probing {
		q.waiting = nil
	}
	for len(q.waiting) > 0 && len(batch) < q.batchSize {
		if d := q.waiting[0]; q.hasTime(d) {
			batch = append(batch, d)
		}
		q.waiting = q.waiting[1:]
	}
	if len(batch) == 0 {
		q.running--
		if q.running == 0 { // the probe was dropped
			q.circuit.cancelProbe()
		}
	}
	return batch
}

func (q *destinationQueue) cancelProbe() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.circuit.cancelProbe()
}

// attempt makes one attempt and returns the job to be written. It returns false if recordOutcome
// failed: the job then stays leased, and the delivery is repeated when the lease ends.
func (q *destinationQueue) attempt(ctx context.Context, d domain.ClaimedDelivery) (domain.Job, bool) {
	ctx = context.WithoutCancel(ctx) // a stop does not interrupt the attempt
	attemptCtx, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	began := time.Now()
	err := q.deliver(attemptCtx, d)
	took := time.Since(began)
	q.observe(err, took)
	j := q.nextState(d, err)
	q.worker.metrics.observeAttempt(q.kind, j.State, took)
	q.worker.metrics.observeEnd(q.kind, j.State, q.worker.queue.Now().Sub(j.CreatedAt))
	if err != nil {
		q.worker.options.Log.Warn("delivery failed", "kind", q.kind.String(), "delivery", j.ID.String(), "attempt", j.Attempts+1, "state", j.State.String(), "error", j.LastError)
	}
	return j, q.worker.writeWithRetry(ctx, func(ctx context.Context) error { return q.recordOutcome(ctx, j) })
}

func (q *destinationQueue) observe(err error, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.averageDuration = max((7*q.averageDuration+took)/8, time.Millisecond)
	f, ok := errors.AsType[*TemporaryError](err)
	if !ok || !f.DestinationDown {
		q.window = min(q.window+1, maxClaim)
		q.circuit.recordSuccess() // the destination works, even if it refused this delivery
		return
	}
	q.window = q.concurrency
	if !q.useCircuitBreaker {
		return
	}
	q.circuit.recordFailure(1 + q.worker.options.Random()/5)
	if f.RetryAfter > 0 {
		q.circuit.hold(f.RetryAfter)
	}
}

// nextState returns the job after an attempt that returned err. Personal data of the subscriber in
// the server's text is masked.
func (q *destinationQueue) nextState(d domain.ClaimedDelivery, err error) domain.Job {
	j := d.Job
	if err == nil {
		return markDone(q.worker.queue, j)
	}
	now := q.worker.queue.Now()
	if r, ok := errors.AsType[*refusal](err); !ok || r.concern != concernsAddress {
		j.RefusedSince = time.Time{}
	} else if j.RefusedSince.IsZero() {
		j.RefusedSince = now
	}
	j.LastError, j.LastAttemptAt = truncate(domain.MaskPersonalOf(err.Error(), d.Subscriber.Name)), now
	wait, again := q.retryDelay(j)
	if isPermanent(err) || !again {
		j.State, j.NextAt = domain.JobDead, now
		return j
	}
	if f, ok := errors.AsType[*TemporaryError](err); ok {
		wait = max(wait, f.RetryAfter)
	}
	j.State, j.NextAt = domain.JobDue, now.Add(time.Duration(float64(wait)*(1+q.worker.options.Random()/10)))
	return j
}

// truncate returns the first maxErrorBytes of s, without splitting a character.
func truncate(s string) string {
	if len(s) <= maxErrorBytes {
		return s
	}
	end := maxErrorBytes
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
