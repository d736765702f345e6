package delivery

import (
	"context"
	"errors"
	"sync"
	"time"
	"unicode/utf8"

	"ativa/internal/provision"
)

const (
	maxQueuedWork = 4 * time.Second // how much work a desk keeps waiting
	leaseMargin   = 3 * time.Second // between the end of a delivery and that of its lease
	maxErrorBytes = 300             // bytes of an error that are kept
)

// destinationQueue delivers the errands of one destination, a few at a time. Its circuit
// keeps it from a destination that does not work.
type destinationQueue struct {
	*kindWorker
	name string

	mu              sync.Mutex
	waiting         []provision.Errand
	running         int
	circuit         circuitBreaker
	averageDuration time.Duration // how long a delivery takes, a moving average
	lastReturn      time.Time     // when the last errand that found no room comes back
}

// accept takes an errand over, or says when it is worth coming again.
func (d *destinationQueue) accept(ctx context.Context, e provision.Errand) (until time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.worker.outbox.Now()
	if len(d.waiting) >= d.capacity() {
		return d.returnTime(now), false
	}
	if until, ok := d.circuit.admit(now); !ok {
		return d.probeWait(until, now), false
	}
	d.waiting = append(d.waiting, e)
	if d.running < d.concurrency {
		d.running++
		d.worker.inFlight.Go(func() { d.run(ctx) })
	}
	return time.Time{}, true
}

// capacity is how many errands may wait here: as much as is done soon, so that
// none outlives its lease.
func (d *destinationQueue) capacity() int {
	n := int(time.Duration(d.concurrency) * maxQueuedWork / d.averageDuration)
	return min(max(n, d.concurrency), maxClaim)
}

// available is how many errands the desk would accept now.
func (d *destinationQueue) available() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := max(d.capacity()-len(d.waiting), 0)
	if !d.circuit.isOpen() {
		return n
	}
	if d.circuit.probing || d.worker.outbox.Now().Before(d.circuit.until) {
		return 0
	}
	return min(n, 1)
}

// returnTime plans the errands that found no room at the pace of the destination.
func (d *destinationQueue) returnTime(now time.Time) time.Time {
	pace := d.averageDuration / time.Duration(d.concurrency)
	soonest := now.Add(max(time.Second, pace*time.Duration(len(d.waiting))))
	if d.lastReturn = d.lastReturn.Add(pace); d.lastReturn.Before(soonest) {
		d.lastReturn = soonest
	}
	if latest := now.Add(time.Minute); d.lastReturn.After(latest) {
		d.lastReturn = latest
	}
	return d.lastReturn
}

// probeWait keeps the errands that wait for a probe from coming back all at once.
func (d *destinationQueue) probeWait(until, now time.Time) time.Time {
	ahead := min(max(until.Sub(now), 0), 30*time.Second)
	return until.Add(time.Duration(d.worker.options.Random() * float64(ahead) / 2))
}

// run delivers until nothing waits.
func (d *destinationQueue) run(ctx context.Context) {
	for {
		batch, back, last := d.nextBatch(ctx)
		d.postpone(ctx, back)
		if last && d.onIdle != nil {
			d.onIdle()
		}
		if len(batch) == 0 {
			return
		}
		var jobs []provision.Job
		for _, e := range batch {
			if j, ok := d.attempt(ctx, e); ok {
				jobs = append(jobs, j)
			}
		}
		d.worker.writeWithRetry(ctx, func(ctx context.Context) error { return d.worker.outbox.Finish(ctx, jobs) })
		if d.singleDestination {
			d.wake()
		}
	}
}

// nextBatch takes what is to be delivered next off the queue, and what is to be
// given back. When there is nothing to deliver, the caller has ended; last says
// that nobody else is at it.
func (d *destinationQueue) nextBatch(ctx context.Context) (batch []provision.Errand, back []provision.Job, last bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.worker.outbox.Now()
	stopped := ctx.Err() != nil
	broken := d.circuit.isOpen() && !d.circuit.probing
	for len(d.waiting) > 0 && len(batch) < d.batchSize {
		e := d.waiting[0]
		d.waiting = d.waiting[1:]
		if !stopped && !broken && e.NextAt.Sub(now) >= d.timeout+leaseMargin {
			batch = append(batch, e)
			continue
		}
		e.Job.NextAt = now
		if broken {
			e.Job.NextAt = d.probeWait(d.circuit.until, now)
		}
		back = append(back, e.Job)
	}
	if len(batch) > 0 {
		return batch, back, false
	}
	if len(back) > 0 {
		d.circuit.cancelProbe()
	}
	d.running--
	return nil, back, d.running == 0
}

// attempt delivers one errand and says what becomes of its job; false when the
// rules could not be told, so that the job must be delivered again.
func (d *destinationQueue) attempt(ctx context.Context, e provision.Errand) (provision.Job, bool) {
	ctx = context.WithoutCancel(ctx) // what was begun is finished
	attempt, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	began := time.Now()
	err := d.deliver(attempt, e)
	took := time.Since(began)
	d.observe(err, took)
	j, dead := d.nextState(e.Job, err)
	d.worker.metrics.observeAttempt(d.kind, j.State, took)
	if err != nil {
		d.worker.options.Log.Warn("delivery failed", "kind", d.kind.String(), "delivery", j.ID.String(), "attempt", j.Attempts+1, "state", j.State.String(), "error", j.LastError)
	}
	if d.recordOutcome == nil {
		return j, true
	}
	told := false
	d.worker.writeWithRetry(ctx, func(ctx context.Context) error {
		err := d.recordOutcome(ctx, e, err, dead)
		told = err == nil
		return err
	})
	return j, told
}

// observe lets the circuit and the pace of the desk learn from an attempt.
func (d *destinationQueue) observe(err error, took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.averageDuration = max((7*d.averageDuration+took)/8, time.Millisecond)
	if !d.useCircuitBreaker {
		return
	}
	f, ok := errors.AsType[*TemporaryError](err)
	if !ok || !f.DestinationDown {
		d.circuit.recordSuccess() // the destination works, even if it refused this one
		return
	}
	now := d.worker.outbox.Now()
	d.circuit.recordFailure(now, 1+d.worker.options.Random()/5)
	if f.RetryAfter > 0 {
		d.circuit.holdUntil(now.Add(f.RetryAfter))
	}
}

// nextState is what becomes of a job after an attempt.
func (d *destinationQueue) nextState(j provision.Job, err error) (provision.Job, bool) {
	if err == nil {
		return markDone(d.worker.outbox, j), false
	}
	now := d.worker.outbox.Now()
	j.LastError = truncate(err.Error())
	wait, worth := d.retryDelay(j, now.Sub(j.CreatedAt))
	if _, ok := errors.AsType[*PermanentError](err); ok || !worth {
		j.State, j.NextAt = provision.JobDead, now
		return j, true
	}
	if f, ok := errors.AsType[*TemporaryError](err); ok {
		wait = max(wait, f.RetryAfter)
	}
	j.State, j.NextAt = provision.JobDue, now.Add(time.Duration(float64(wait)*(1+d.worker.options.Random()/10)))
	return j, false
}

// truncate is as much of a text as is kept, cut between two characters.
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
