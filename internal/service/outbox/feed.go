package outbox

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

// FeedBatchSize is the maximum number of events pushed in one request (decisions.md 13).
const FeedBatchSize = 500

// FeedStore stores how far each feed was pushed.
type FeedStore interface {
	// FeedCallbacks lists the feed callbacks in one statement.
	FeedCallbacks(context.Context) ([]domain.FeedCallback, error)
	// UpdateFeedCallback reads a provider's feed callback, without the fields that only lists set,
	// and writes it back if fn returns nil, in one transaction. fn may run again from the start.
	UpdateFeedCallback(ctx context.Context, p domain.ProviderID, fn func(*domain.FeedCallback) error) (domain.FeedCallback, error)
}

// EventReader reads the event feed of a provider: up to limit events after a cursor, and the next
// cursor. It returns InvalidCursor if it would have to skip events.
type EventReader interface {
	Events(ctx context.Context, p domain.ProviderID, after domain.EventID, limit int) ([]domain.Event, domain.EventID, error)
}

// Feeds claims batches of events for the feed callbacks. It is safe for concurrent use.
type Feeds struct {
	store  FeedStore
	events EventReader
	clock  domain.Clock
}

// NewFeeds returns the feeds of a database.
func NewFeeds(store FeedStore, events EventReader, clock domain.Clock) *Feeds {
	return &Feeds{store, events, clock}
}

// ReplayFeed makes a feed callback continue after a cursor, in a new generation. It returns
// InvalidCursor where [EventReader] does.
func (f *Feeds) ReplayFeed(ctx context.Context, c domain.FeedCallback, after domain.EventID) (domain.FeedCallback, error) {
	if _, _, err := f.events.Events(ctx, c.Provider, after, 1); err != nil {
		return c, err
	}
	return f.store.UpdateFeedCallback(ctx, c.Provider, func(c *domain.FeedCallback) error {
		c.Begin(after, f.clock.Now())
		return nil
	})
}

// DueFeedCallbacks returns the feed callbacks to which a batch can be pushed now. It takes one statement.
func (f *Feeds) DueFeedCallbacks(ctx context.Context) ([]domain.FeedCallback, error) {
	all, err := f.store.FeedCallbacks(ctx)
	now := f.clock.Now()
	return slices.DeleteFunc(all, func(c domain.FeedCallback) bool { return !c.Due(now) }), err
}

// errBatchTaken aborts a transaction whose batch has been taken or whose callback has changed.
var errBatchTaken = errors.New("another server pushes the batch, or the callback was changed")

// ClaimFeedBatch leases the next batch of a feed callback to the caller alone. read is the
// callback as it was listed. found is false if there is no batch or another server was faster. A
// batch that was sent before covers the same events again, with their current content. If
// retention deleted events after the cursor, ClaimFeedBatch disables the callback and returns
// InvalidCursor.
func (f *Feeds) ClaimFeedBatch(ctx context.Context, read domain.FeedCallback, lease time.Duration) (b domain.FeedBatch, found bool, err error) {
	events, end, err := f.events.Events(ctx, read.Provider, read.Cursor, FeedBatchSize)
	gone := domain.IsCode(err, domain.InvalidCursor)
	if err == nil && read.BatchEnd != 0 {
		gone, end = end < read.BatchEnd, read.BatchEnd
		events = slices.DeleteFunc(events, func(e domain.Event) bool { return e.ID > end })
	}
	if gone {
		return b, false, f.stopFeed(ctx, read)
	}
	if err != nil || len(events) == 0 {
		return b, false, err
	}
	now := f.clock.Now()
	claimed, found, err := f.update(ctx, read.Provider, func(c *domain.FeedCallback) error {
		if !c.SameBatch(read) || !c.Enabled || c.ProviderDisabled || !c.Ready(now) {
			return errBatchTaken
		}
		c.BatchEnd, c.LeasedUntil = end, now.Add(lease)
		return nil
	})
	return domain.FeedBatch{Callback: claimed, Events: events}, found, err
}

// update changes a provider's feed callback. It reports false if fn returned errBatchTaken.
func (f *Feeds) update(ctx context.Context, p domain.ProviderID, fn func(*domain.FeedCallback) error) (after domain.FeedCallback, changed bool, err error) {
	after, err = f.store.UpdateFeedCallback(ctx, p, fn)
	if errors.Is(err, errBatchTaken) {
		return after, false, nil
	}
	return after, err == nil, err
}

// stopFeed disables a callback whose next events are no longer stored, so that none is skipped
// unnoticed, and returns the reason.
func (f *Feeds) stopFeed(ctx context.Context, read domain.FeedCallback) error {
	gap := domain.BadCursor("events after the cursor are no longer kept: `callbacks set --feed --from-beginning` begins with the oldest that are")
	_, stopped, err := f.update(ctx, read.Provider, func(c *domain.FeedCallback) error {
		if !c.SameBatch(read) || !c.Enabled {
			return errBatchTaken
		}
		c.Enabled, c.LastError, c.NextAttempt = false, gap.Message, time.Time{}
		return nil
	})
	if stopped {
		return gap
	}
	return err
}

// FinishFeedBatch records the outcome of a batch that ClaimFeedBatch leased, and returns the
// updated callback. current is false if the outcome no longer counts: another server has taken
// over the batch, or an operator has moved the cursor or, if the attempt failed, set or enabled the
// callback again.
func (f *Feeds) FinishFeedBatch(ctx context.Context, b domain.FeedBatch, o domain.FeedOutcome) (after domain.FeedCallback, current bool, err error) {
	after, leased, err := f.update(ctx, b.Callback.Provider, func(c *domain.FeedCallback) error {
		if !c.LeasedUntil.Equal(b.Callback.LeasedUntil) {
			return errBatchTaken
		}
		c.LeasedUntil = time.Time{}
		accepted := o == domain.FeedOutcome{}
		same := bytes.Equal(c.Secret, b.Callback.Secret) && c.Failures == b.Callback.Failures
		if current = c.SameBatch(b.Callback) && (accepted || same); current {
			c.Record(o, f.clock.Now())
		}
		return nil
	})
	return after, leased && current, err
}
