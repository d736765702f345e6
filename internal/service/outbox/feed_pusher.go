package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"ativa/internal/service/domain"
)

// feedLease is the time after which another server takes over a batch. It is longer than an
// attempt and the write of its outcome.
const feedLease = 45 * time.Second

// feedPusher pushes the event feed to the feed callbacks (decisions.md 13). Each callback has its
// own goroutine while there is something to push.
type feedPusher struct {
	worker *Worker
	feeds  *Feeds
	woken  chan struct{}

	mu      sync.Mutex
	pushing map[domain.ProviderID]bool
}

// wake makes the pusher check for events at once. It never blocks.
func (f *feedPusher) wake() { signal(f.woken, struct{}{}) }

// startDue starts a push to every due callback to which this server is not already pushing.
func (f *feedPusher) startDue(ctx context.Context) {
	due, err := f.feeds.DueFeedCallbacks(ctx)
	if err != nil {
		f.worker.logError(ctx, "feed callbacks", err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range due {
		if !f.pushing[c.Provider] {
			f.pushing[c.Provider] = true
			f.worker.inFlight.Go(func() { f.push(ctx, c) })
		}
	}
}

// push pushes one batch after the other until the receiver has everything, an attempt fails,
// another server is faster, or ctx ends.
func (f *feedPusher) push(ctx context.Context, c domain.FeedCallback) {
	provider := c.ProviderName
	defer func() {
		f.mu.Lock()
		delete(f.pushing, c.Provider)
		f.mu.Unlock()
		f.wake()
	}()
	for more := true; more && ctx.Err() == nil; {
		ctx := context.WithoutCancel(ctx) // a stop does not interrupt the attempt
		batch, found, err := f.feeds.ClaimFeedBatch(ctx, c, feedLease)
		f.worker.logError(ctx, "feed callback", err, "provider", provider)
		if err != nil || !found {
			return
		}
		c, more = f.attempt(ctx, provider, batch)
		more = more && len(batch.Events) == FeedBatchSize
	}
}

// attempt posts a batch once and records the outcome. It returns the updated callback, and whether
// the receiver accepted the batch.
func (f *feedPusher) attempt(ctx context.Context, provider string, b domain.FeedBatch) (after domain.FeedCallback, accepted bool) {
	began := time.Now()
	err := f.post(ctx, b)
	o := feedOutcome(err, b.Callback.Failures)
	f.worker.metrics.observeFeedPush(err, time.Since(began))
	recorded := f.worker.writeWithRetry(ctx, func(ctx context.Context) (err error) {
		after, accepted, err = f.feeds.FinishFeedBatch(ctx, b, o)
		return err
	})
	if err != nil {
		f.logFailure(provider, b, o)
	}
	return after, recorded && accepted && err == nil
}

func (f *feedPusher) logFailure(provider string, b domain.FeedBatch, o domain.FeedOutcome) {
	log := f.worker.options.Log.With("provider", provider, "batch", b.ID(), "attempt", b.Callback.Failures+1, "error", o.Error)
	if o.GiveUp {
		log.Error("feed callback disabled: its receiver failed for seven days")
		return
	}
	log.Warn("pushing the feed failed", "again_in", o.RetryIn.String())
}

func (f *feedPusher) post(ctx context.Context, b domain.FeedBatch) error {
	ctx, cancel := context.WithTimeout(ctx, webhookTimeout)
	defer cancel()
	body, err := f.encode(b)
	if err != nil {
		return err
	}
	return f.worker.webhooks.postCallback(ctx, b.Callback.Callback, b.ID(), f.worker.now(), body)
}

// encode returns the body of a batch. Its events are byte for byte those of GET /events.
func (f *feedPusher) encode(b domain.FeedBatch) ([]byte, error) {
	events, err := f.worker.options.EncodeEvents(b.Events)
	if err != nil {
		return nil, fmt.Errorf("encoding events: %w", err)
	}
	var body bytes.Buffer
	body.WriteString(`{"type":"events","data":{"events":`)
	body.Write(events)
	body.WriteString(`,"next_cursor":` + strconv.Quote(b.Callback.BatchEnd.String()) + `}}`)
	return body.Bytes(), nil
}

// feedOutcome returns the outcome of an attempt with the error err after the given number of failures.
func feedOutcome(err error, failures int) domain.FeedOutcome {
	if err == nil {
		return domain.FeedOutcome{}
	}
	wait, again := feedRetryDelay(failures)
	if failed, ok := errors.AsType[*DeliveryError](err); ok {
		wait = max(wait, failed.RetryAfter)
	}
	return domain.FeedOutcome{Error: truncate(err.Error()), RetryIn: wait, GiveUp: !again}
}
