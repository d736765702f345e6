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
// delivery waits only for the attempts in progress. Its circuit breaker stops deliveries to a
// failing destination.
type sender struct {
	*kindWorker
	due     chan domain.Destination // its destination, sent when deliveries are due there; capacity one
	results chan []domain.Delivery  // the deliveries of a batch after its attempts; capacity concurrency

	// Only the goroutine of run uses these.
	to      domain.Destination // as it was last received from due
	running int                // batches whose results were not yet received

	mu      sync.Mutex
	circuit circuitBreaker
}

// run delivers until ctx ends and the attempts in progress are over. One write records the outcomes
// of attempts and prepares the next ones. A delivery that is claimed but not attempted is not written
// back: its lease ends.
func (s *sender) run(ctx context.Context) {
	for ctx.Err() == nil {
		done := s.await(ctx)
		claimed := s.claim(ctx)
		if s.finish(ctx, done, claimed) {
			for batch := range slices.Chunk(claimed, s.batchSize) {
				s.running++
				go func() { s.results <- s.attemptAll(ctx, batch) }()
			}
		}
		if s.running == 0 {
			s.onIdle()
		}
		s.pause(ctx, time.Duration(len(claimed))*deliveryPause)
	}
	for ; s.running > 0; s.running-- {
		s.finish(ctx, <-s.results, nil)
	}
	s.onIdle()
}

// await waits until deliveries are due or a batch has ended, and returns the deliveries of all batches that have
// ended.
func (s *sender) await(ctx context.Context) (done []domain.Delivery) {
	select {
	case <-ctx.Done():
	case s.to = <-s.due:
	case done = <-s.results:
		s.running--
	}
	for ; len(s.results) > 0; s.running-- {
		done = append(done, <-s.results...)
	}
	for len(s.due) > 0 {
		s.to = <-s.due
	}
	return done
}

// pause delays the next claim. It writes the outcomes of the batches that end meanwhile, because a
// kill would repeat them. A single outcome is written with the next claim instead, which comes soon.
func (s *sender) pause(ctx context.Context, d time.Duration) {
	results := s.results
	if s.batchSize == 1 {
		results = nil
	}
	before := s.running
	for over := time.After(d); ; {
		select {
		case <-ctx.Done():
			return
		case <-over:
			if s.running < before {
				signal(s.due, s.to)
			}
			return
		case done := <-results:
			s.running--
			s.finish(ctx, done, nil)
		}
	}
}

// claim claims deliveries in addition to those of the running batches: none while the circuit
// breaker is open, except for one as a probe. It completes those to a destination that is not called.
func (s *sender) claim(ctx context.Context) []domain.ClaimedDelivery {
	n := s.freeSlots()
	if !s.isCalled(s.to) {
		n = maxClaim
	}
	if n == 0 || ctx.Err() != nil {
		return nil
	}
	// A stop does not interrupt the claim: nobody else would make the deliveries before their leases end.
	claimed, err := s.worker.queue.Claim(context.WithoutCancel(ctx), s.to, n, leaseDuration)
	s.logError(ctx, err)
	switch {
	case len(claimed) == 0:
		return nil
	case !s.isCalled(claimed[0].Destination):
		s.completeAll(ctx, claimed)
		return nil
	case !s.isCalled(s.to): // there may be more than free slots: their leases end
		s.wake()
		return nil
	}
	return claimed
}

// completeAll completes deliveries to a destination that is not called. The kind worker reads the
// destination again for further ones, because it may be called from now on.
func (s *sender) completeAll(ctx context.Context, claimed []domain.ClaimedDelivery) {
	if err := s.complete(context.WithoutCancel(ctx), claimed); err != nil {
		s.logError(ctx, err)
		return
	}
	wait(ctx, time.Duration(len(claimed))*deliveryPause)
	s.wake()
}

// freeSlots returns how many deliveries can be attempted besides those of the running batches.
func (s *sender) freeSlots() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.circuit.isOpen():
		return (s.concurrency - s.running) * s.batchSize
	case s.running > 0 || s.circuit.remaining() > 0:
		return 0
	}
	return 1
}

// finish writes the outcomes in done and prepares the attempts in next. It returns false if they
// must not be made.
func (s *sender) finish(ctx context.Context, done []domain.Delivery, next []domain.ClaimedDelivery) bool {
	return s.worker.writeWithRetry(ctx, func(ctx context.Context) error { return s.worker.queue.Finish(ctx, done, next) })
}

// attemptAll makes one attempt after the other and returns the deliveries to be written. It leaves out a
// delivery whose lease might end during the attempt.
func (s *sender) attemptAll(ctx context.Context, batch []domain.ClaimedDelivery) (done []domain.Delivery) {
	for _, d := range batch {
		if d.NextAt.Sub(s.worker.now()) < s.timeout+leaseMargin {
			continue
		}
		if j, ok := s.attempt(ctx, d); ok {
			done = append(done, j)
		}
	}
	return done
}

// attempt makes one attempt and returns the delivery to be written. It returns false if recordOutcome
// failed: it then stays leased and is attempted again when the lease ends.
func (s *sender) attempt(ctx context.Context, d domain.ClaimedDelivery) (domain.Delivery, bool) {
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
	s.worker.metrics.observeAttempt(j, took, s.worker.now().Sub(j.CreatedAt))
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
	if f, ok := errors.AsType[*DeliveryError](err); ok && f.DestinationDown {
		s.circuit.recordFailure(1+s.worker.options.Random()/5, f.RetryAfter)
	} else {
		s.circuit.recordSuccess()
	}
	s.worker.metrics.setCircuit(s.kind, destination, s.circuit.isOpen())
}

// nextState returns the delivery after an attempt that returned err. Personal data of the subscriber in
// the server's text is masked.
func (s *sender) nextState(d domain.ClaimedDelivery, err error) domain.Delivery {
	j := d.Delivery
	if err == nil {
		return s.worker.markDone(j)
	}
	now := s.worker.now()
	if r, ok := errors.AsType[*refusal](err); !ok || r.concern != concernsAddress {
		j.RefusedSince = time.Time{}
	} else if j.RefusedSince.IsZero() {
		j.RefusedSince = now
	}
	j.LastError, j.LastAttemptAt = truncate(domain.MaskPersonalOf(err.Error(), d.Subscriber.Name)), now
	wait, again := s.retryDelay(j)
	if isPermanent(err) || !again {
		j.State, j.NextAt = domain.OutboxDead, now
		return j
	}
	if f, ok := errors.AsType[*DeliveryError](err); ok {
		wait = max(wait, f.RetryAfter)
	}
	j.State, j.NextAt = domain.OutboxDue, now.Add(time.Duration(float64(wait)*(1+s.worker.options.Random()/10)))
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
