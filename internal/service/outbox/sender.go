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
	leaseMargin   = 3 * time.Second // minimum time between the end of an attempt and the end of its lease
	maxErrorBytes = 300             // maximum length of a stored error in bytes
)

// sender delivers to one destination. It claims only what it can attempt at once, so an urgent
// delivery waits for no more than the attempts in progress. Its circuit breaker stops deliveries
// to a failing destination.
type sender struct {
	*kindWorker
	due chan domain.Destination // its destination, sent when jobs are due there; capacity one

	mu      sync.Mutex
	circuit circuitBreaker
}

// run delivers until ctx ends and the attempts in progress are over. One write records the outcomes
// of attempts and prepares the next ones. A job that is claimed but not attempted is not written
// back: its lease ends.
func (s *sender) run(ctx context.Context) {
	var to domain.Destination
	running, results := 0, make(chan []domain.Job, s.concurrency)
	for ctx.Err() == nil {
		var done []domain.Job
		select {
		case <-ctx.Done():
		case to = <-s.due:
		case done = <-results:
			running--
		}
		for len(results) > 0 {
			done = append(done, <-results...)
			running--
		}
		for len(s.due) > 0 {
			to = <-s.due
		}
		claimed := s.claim(ctx, to, running)
		if s.finish(ctx, done, claimed) {
			for batch := range slices.Chunk(claimed, s.batchSize) {
				running++
				go func() { results <- s.attemptAll(ctx, batch) }()
			}
		}
		if running == 0 && s.onIdle != nil {
			s.onIdle()
		}
		running -= s.pause(ctx, to, time.Duration(len(claimed))*deliveryPause, results)
	}
	for range running {
		s.finish(ctx, <-results, nil)
	}
	if s.onIdle != nil {
		s.onIdle()
	}
}

// pause delays the next claim. It returns how many batches ended meanwhile; it writes their outcomes,
// because a kill would repeat them. A single outcome is written with the next claim instead, which
// comes soon.
func (s *sender) pause(ctx context.Context, to domain.Destination, d time.Duration, results <-chan []domain.Job) (ended int) {
	if s.batchSize == 1 {
		results = nil
	}
	for over := time.After(d); ; {
		select {
		case <-ctx.Done():
			return ended
		case <-over:
			if ended > 0 {
				signal(s.due, to)
			}
			return ended
		case done := <-results:
			s.finish(ctx, done, nil)
			ended++
		}
	}
}

// claim claims deliveries in addition to those of the running goroutines: none while the circuit
// breaker is open, except for one as a probe. It completes those to a destination that is not called.
func (s *sender) claim(ctx context.Context, to domain.Destination, running int) []domain.ClaimedDelivery {
	if ctx.Err() != nil {
		return nil
	}
	n, local := s.room(running), s.completion(to) != nil
	if local {
		n = maxClaim
	}
	if n == 0 {
		return nil
	}
	claimed, err := s.worker.queue.Claim(ctx, to, n, leaseDuration)
	if err != nil { // claimed may lack their destination; the leases end
		s.logError(ctx, err)
		return nil
	}
	if len(claimed) == 0 {
		return nil
	}
	if complete := s.completion(claimed[0].Destination); complete != nil {
		s.logError(ctx, s.completeAll(ctx, claimed, complete))
		return nil
	}
	if local { // more than there is room for; the leases end
		s.wake()
		return nil
	}
	return claimed
}

// completion returns the function that completes the deliveries to a destination that is not called,
// or nil.
func (s *sender) completion(to domain.Destination) func(context.Context, []domain.ClaimedDelivery) error {
	if s.handleLocally == nil {
		return nil
	}
	return s.handleLocally(to)
}

// completeAll completes deliveries to a destination that is not called. If there may be more, the
// destination is read again for them, because it may be called from now on.
func (s *sender) completeAll(ctx context.Context, claimed []domain.ClaimedDelivery, complete func(context.Context, []domain.ClaimedDelivery) error) error {
	if err := complete(context.WithoutCancel(ctx), claimed); err != nil {
		return err
	}
	wait(ctx, time.Duration(len(claimed))*deliveryPause)
	s.wake()
	return nil
}

// room returns how many more deliveries can be attempted than the running goroutines have.
func (s *sender) room(running int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.circuit.isOpen():
		return (s.concurrency - running) * s.batchSize
	case running > 0 || s.circuit.remaining() > 0:
		return 0
	}
	return 1
}

// finish writes the outcomes in done and prepares the attempts in next. It returns false if they
// must not be made.
func (s *sender) finish(ctx context.Context, done []domain.Job, next []domain.ClaimedDelivery) bool {
	return s.worker.writeWithRetry(ctx, func(ctx context.Context) error { return s.worker.queue.Finish(ctx, done, next) })
}

// attemptAll makes one attempt after the other and returns the jobs to be written. It leaves out a
// delivery whose lease might end during the attempt.
func (s *sender) attemptAll(ctx context.Context, batch []domain.ClaimedDelivery) (done []domain.Job) {
	for _, d := range batch {
		if d.NextAt.Sub(s.worker.queue.Now()) < s.timeout+leaseMargin {
			continue
		}
		if j, ok := s.attempt(ctx, d); ok {
			done = append(done, j)
		}
	}
	return done
}

// attempt makes one attempt and returns the job to be written. It returns false if recordOutcome
// failed: the job then stays leased, and the delivery is repeated when the lease ends.
func (s *sender) attempt(ctx context.Context, d domain.ClaimedDelivery) (domain.Job, bool) {
	ctx = context.WithoutCancel(ctx) // a stop does not interrupt the attempt
	attemptCtx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	began := time.Now()
	err := s.deliver(attemptCtx, d)
	took := time.Since(began)
	if s.useCircuitBreaker {
		s.observe(d.Destination.ID, err)
	}
	j := s.nextState(d, err)
	s.worker.metrics.observeAttempt(s.kind, j.State, took)
	s.worker.metrics.observeEnd(s.kind, j.State, s.worker.queue.Now().Sub(j.CreatedAt))
	if err != nil {
		s.worker.options.Log.Warn("delivery failed", "kind", s.kind.String(), "delivery", j.ID.String(), "attempt", j.Attempts+1, "state", j.State.String(), "error", j.LastError)
	}
	return j, s.worker.writeWithRetry(ctx, func(ctx context.Context) error { return s.recordOutcome(ctx, j) })
}

// observe updates the circuit breaker after an attempt that returned err. A destination works even
// if it refused the delivery.
func (s *sender) observe(destination int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := errors.AsType[*TemporaryError](err); ok && f.DestinationDown {
		s.circuit.recordFailure(1+s.worker.options.Random()/5, f.RetryAfter)
	} else {
		s.circuit.recordSuccess()
	}
	s.worker.metrics.setCircuit(s.kind, destination, s.circuit.isOpen())
}

// nextState returns the job after an attempt that returned err. Personal data of the subscriber in
// the server's text is masked.
func (s *sender) nextState(d domain.ClaimedDelivery, err error) domain.Job {
	j := d.Job
	if err == nil {
		return markDone(s.worker.queue, j)
	}
	now := s.worker.queue.Now()
	if r, ok := errors.AsType[*refusal](err); !ok || r.concern != concernsAddress {
		j.RefusedSince = time.Time{}
	} else if j.RefusedSince.IsZero() {
		j.RefusedSince = now
	}
	j.LastError, j.LastAttemptAt = truncate(domain.MaskPersonalOf(err.Error(), d.Subscriber.Name)), now
	wait, again := s.retryDelay(j)
	if isPermanent(err) || !again {
		j.State, j.NextAt = domain.JobDead, now
		return j
	}
	if f, ok := errors.AsType[*TemporaryError](err); ok {
		wait = max(wait, f.RetryAfter)
	}
	j.State, j.NextAt = domain.JobDue, now.Add(time.Duration(float64(wait)*(1+s.worker.options.Random()/10)))
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
