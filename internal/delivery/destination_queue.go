package delivery

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"ativa/internal/provision"
)

const (
	maxQueuedWork = 4 * time.Second // estimated time to deliver a full queue
	leaseMargin   = 3 * time.Second // least time between the end of an attempt and the end of its lease
	maxErrorBytes = 300             // bytes of an error that are stored
)

// destinationQueue delivers to one destination, up to concurrency deliveries at
// once. Its circuit breaker stops deliveries to a destination that fails.
type destinationQueue struct {
	*kindWorker

	mu              sync.Mutex
	waiting         []provision.ClaimedDelivery
	running         int
	circuit         circuitBreaker
	averageDuration time.Duration // of an attempt, a moving average
	lastReturn      time.Time     // latest time that returnTime returned
}

// accept queues a delivery, an urgent one before those that are not. If it does not,
// it returns when to try again.
func (q *destinationQueue) accept(ctx context.Context, d provision.ClaimedDelivery) (until time.Time, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.worker.outbox.Now()
	capacity, place := q.capacity(), len(q.waiting)
	if d.Urgent { // also where the queue is full
		capacity *= 2
		if i := slices.IndexFunc(q.waiting, func(d provision.ClaimedDelivery) bool { return !d.Urgent }); i >= 0 {
			place = i
		}
	}
	if len(q.waiting) >= capacity {
		return q.returnTime(now), false
	}
	if wait, ok := q.circuit.admit(); !ok {
		return q.afterProbe(wait, now), false
	}
	q.waiting = slices.Insert(q.waiting, place, d)
	if q.running < q.concurrency {
		q.running++
		q.worker.inFlight.Go(func() { q.run(ctx) })
	}
	return time.Time{}, true
}

// capacity returns how many deliveries may wait: those that are made within
// maxQueuedWork, so that none is still waiting when its lease ends.
func (q *destinationQueue) capacity() int {
	n := int(time.Duration(q.concurrency) * maxQueuedWork / q.averageDuration)
	return min(max(n, q.concurrency), maxClaim)
}

// available returns how many deliveries the queue accepts now.
func (q *destinationQueue) available() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := max(q.capacity()-len(q.waiting), 0)
	if !q.circuit.isOpen() {
		return n
	}
	if q.circuit.probing || q.circuit.remaining() > 0 {
		return 0
	}
	return min(n, 1)
}

// returnTime returns when to offer again a delivery that a full queue refused.
// Its results are spaced at the destination's pace, at most a minute ahead.
func (q *destinationQueue) returnTime(now time.Time) time.Time {
	pace := q.averageDuration / time.Duration(q.concurrency)
	soonest := now.Add(max(time.Second, pace*time.Duration(len(q.waiting))))
	if q.lastReturn = q.lastReturn.Add(pace); q.lastReturn.Before(soonest) {
		q.lastReturn = soonest
	}
	if latest := now.Add(time.Minute); q.lastReturn.After(latest) {
		q.lastReturn = latest
	}
	return q.lastReturn
}

// afterProbe returns a random time up to 15 seconds after the wait, when the
// circuit breaker lets the next probe pass, so that what waits for the probe
// does not come back all at once.
func (q *destinationQueue) afterProbe(wait time.Duration, now time.Time) time.Time {
	spread := min(max(wait, 0), 30*time.Second) / 2
	return now.Add(wait + time.Duration(q.worker.options.Random()*float64(spread)))
}

// run delivers until the queue is empty.
func (q *destinationQueue) run(ctx context.Context) {
	for batch := q.take(ctx); len(batch) > 0; {
		var jobs []provision.Job
		for _, d := range batch {
			if j, ok := q.attempt(ctx, d); ok {
				jobs = append(jobs, j)
			}
		}
		q.worker.writeWithRetry(ctx, func(ctx context.Context) error { return q.worker.outbox.Finish(ctx, jobs) })
		batch = q.take(ctx)
		if q.singleDestination { // whose queue has room now
			q.wake()
		}
	}
}

// take returns what the caller delivers next, nothing if that ends it, and returns to
// the outbox what goes back.
func (q *destinationQueue) take(ctx context.Context) []provision.ClaimedDelivery {
	batch, postponed, idle := q.nextBatch(ctx)
	q.postpone(ctx, postponed)
	if idle && q.onIdle != nil {
		q.onIdle()
	}
	return batch
}

// nextBatch removes from the queue what the caller delivers next, and what goes
// back to the outbox: everything after a stop or while the circuit breaker is
// open, and what would outlive its lease. An empty batch ends the caller; idle
// is true if no other run remains.
func (q *destinationQueue) nextBatch(ctx context.Context) (batch []provision.ClaimedDelivery, postponed []provision.Job, idle bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.worker.outbox.Now()
	stopped := ctx.Err() != nil
	broken := q.circuit.isOpen() && !q.circuit.probing
	for len(q.waiting) > 0 && len(batch) < q.batchSize {
		d := q.waiting[0]
		q.waiting = q.waiting[1:]
		if !stopped && !broken && d.NextAt.Sub(now) >= q.timeout+leaseMargin {
			batch = append(batch, d)
			continue
		}
		d.Job.NextAt = now
		if broken {
			d.Job.NextAt = q.afterProbe(q.circuit.remaining(), now)
		}
		postponed = append(postponed, d.Job)
	}
	if len(batch) > 0 {
		return batch, postponed, false
	}
	if len(postponed) > 0 {
		q.circuit.cancelProbe()
	}
	q.running--
	return nil, postponed, q.running == 0
}

// attempt makes one attempt and returns the job as it is to be written. It
// returns false if recordOutcome failed: the job then stays leased, and the
// delivery is repeated when the lease ends.
func (q *destinationQueue) attempt(ctx context.Context, d provision.ClaimedDelivery) (provision.Job, bool) {
	ctx = context.WithoutCancel(ctx) // a stop lets the attempt end
	attemptCtx, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	began := time.Now()
	err := q.deliver(attemptCtx, d)
	took := time.Since(began)
	q.observe(err, took)
	j := q.nextState(d.Job, err)
	q.worker.metrics.observeAttempt(q.kind, j.State, took)
	q.worker.metrics.observeEnd(q.kind, j.State, q.worker.outbox.Now().Sub(j.CreatedAt))
	if err != nil {
		q.worker.options.Log.Warn("delivery failed", "kind", q.kind.String(), "delivery", j.ID.String(), "attempt", j.Attempts+1, "state", j.State.String(), "error", j.LastError)
	}
	return j, q.worker.writeWithRetry(ctx, func(ctx context.Context) error { return q.recordOutcome(ctx, j) })
}

func (q *destinationQueue) observe(err error, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.averageDuration = max((7*q.averageDuration+took)/8, time.Millisecond)
	if !q.useCircuitBreaker {
		return
	}
	f, ok := errors.AsType[*TemporaryError](err)
	if !ok || !f.DestinationDown {
		q.circuit.recordSuccess() // the destination works, even if it refused this delivery
		return
	}
	q.circuit.recordFailure(1 + q.worker.options.Random()/5)
	if f.RetryAfter > 0 {
		q.circuit.hold(f.RetryAfter)
	}
}

// nextState returns the job as it is after an attempt that returned err.
func (q *destinationQueue) nextState(j provision.Job, err error) provision.Job {
	if err == nil {
		return markDone(q.worker.outbox, j)
	}
	now := q.worker.outbox.Now()
	j.LastError, j.LastAttemptAt = truncate(maskAddresses(err.Error())), now
	wait, again := q.retryDelay(j, err)
	if isPermanent(err) || !again {
		j.State, j.NextAt = provision.JobDead, now
		return j
	}
	if f, ok := errors.AsType[*TemporaryError](err); ok {
		wait = max(wait, f.RetryAfter)
	}
	j.State, j.NextAt = provision.JobDue, now.Add(time.Duration(float64(wait)*(1+q.worker.options.Random()/10)))
	return j
}

// truncate returns the first maxErrorBytes of s, cut between two characters.
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
