package rules

import (
	"context"
	"errors"
	"slices"
	"time"
)

// FeedBatchSize is the maximum number of events pushed in one request (decisions.md 13).
const FeedBatchSize = 500

// FeedCallback is the URL to which a provider's event feed is pushed (decisions.md 13). Failures
// counts the failed attempts of the current batch.
type FeedCallback struct {
	Callback
	Generation  int64     // changes with every replay, so that replayed events get new webhook ids
	Cursor      EventID   // the last event that the receiver accepted
	BatchEnd    EventID   // the last event of the current batch; 0: none
	NextAttempt time.Time // zero: as soon as there are events
	LeasedUntil time.Time // a server is pushing the batch until then; zero: none is
	LastError   string

	ProviderName     string // this and the following fields are set when feed callbacks are listed
	ProviderDisabled bool
	Newest           EventID   // the provider's newest event
	WaitingSince     time.Time // when the event after the cursor occurred; zero: none, or no longer stored
}

// EventsBehind returns how many events the receiver has not accepted yet.
func (c FeedCallback) EventsBehind() int { return int(c.Newest - c.Cursor) }

// due reports whether a batch can be pushed now.
func (c FeedCallback) due(now time.Time) bool {
	return c.Enabled && !c.ProviderDisabled && c.Cursor < c.Newest && c.ready(now)
}

// ready reports whether no server is pushing a batch and no retry delay is running. Times more
// than longestWait ahead come from a clock that has been set back, and are ignored.
func (c FeedCallback) ready(now time.Time) bool {
	waits := func(until time.Time) bool { return until.After(now) && until.Sub(now) <= longestWait }
	return !waits(c.LeasedUntil) && !waits(c.NextAttempt)
}

// sameBatch reports whether both would push the same events under the same webhook id.
func (c FeedCallback) sameBatch(other FeedCallback) bool {
	return c.Generation == other.Generation && c.Cursor == other.Cursor && c.BatchEnd == other.BatchEnd
}

// begin continues the feed after the cursor in a new generation, whose number is at least the
// current time, so that it is new even after a backup was restored.
func (c *FeedCallback) begin(after EventID, now time.Time) {
	c.Generation = max(c.Generation+1, now.UnixMicro())
	c.Cursor, c.BatchEnd = after, 0
	c.retryNow()
}

// retryNow clears the failed attempts and makes the next one due now.
func (c *FeedCallback) retryNow() { c.Failures, c.NextAttempt, c.LastError = 0, time.Time{}, "" }

// FeedBatch is the part of a feed that one request pushes.
type FeedBatch struct {
	Callback FeedCallback
	Events   []Event // the events after Callback.Cursor, up to Callback.BatchEnd
}

// ID returns the webhook id. It depends only on generation, cursor and batch end, so it is the
// same on every server and at every attempt.
func (b FeedBatch) ID() string {
	c := b.Callback
	return public("feed_", c.Generation) + public("_", int64(c.Cursor)) + public("_", int64(c.BatchEnd))
}

// FeedOutcome is the outcome of an attempt to push a batch. The zero value means that the receiver
// accepted it.
type FeedOutcome struct {
	Error   string        // why it failed, without personal data
	RetryIn time.Duration // until the next attempt
	GiveUp  bool          // no next attempt: the callback is disabled
}

// SetFeedCallback registers a provider's feed callback, or replaces its URL and secret, and
// enables it. A new callback starts with the next event; an existing one keeps its cursor. With
// fromBeginning it starts with the oldest stored event.
func (r *CallbackRegistry) SetFeedCallback(ctx context.Context, name, url string, allowPrivate, fromBeginning bool) (FeedCallback, error) {
	p, err := r.store.ProviderByName(ctx, name)
	if err != nil {
		return FeedCallback{}, err
	}
	if err := invalidCallbackURL(url, allowPrivate); err != nil {
		return FeedCallback{}, err
	}
	newest, err := r.store.LastEvent(ctx, p.ID)
	if err != nil {
		return FeedCallback{}, err
	}
	oldest, err := r.store.Events(ctx, p.ID, 0, 1)
	if err != nil {
		return FeedCallback{}, err
	}
	secret := randomBytes(24)
	return r.store.UpdateFeedCallback(ctx, p.ID, func(c *FeedCallback) error {
		isNew := c.URL == ""
		c.Callback = Callback{Provider: p.ID, URL: url, Secret: secret, AllowPrivate: allowPrivate, Enabled: true}
		c.retryNow()
		switch {
		case fromBeginning && len(oldest) > 0:
			c.begin(oldest[0].ID-1, r.clock.Now())
		case fromBeginning || isNew:
			c.begin(newest, r.clock.Now())
		}
		return nil
	})
}

// FeedCallback returns a provider's feed callback, or NotFound when it has none.
func (r *CallbackRegistry) FeedCallback(ctx context.Context, name string) (FeedCallback, error) {
	return ofProvider(ctx, r, name, r.store.FeedCallbacks, func(c FeedCallback) ProviderID { return c.Provider },
		&Error{Code: NotFound, Message: "the provider has no feed callback"})
}

// EnableFeedCallback turns a provider's feed callback on or off. When turned on again, it
// continues where it stopped.
func (r *CallbackRegistry) EnableFeedCallback(ctx context.Context, name string, enabled bool) (FeedCallback, error) {
	c, err := r.FeedCallback(ctx, name)
	if err != nil {
		return c, err
	}
	return r.store.UpdateFeedCallback(ctx, c.Provider, func(c *FeedCallback) error {
		if c.Enabled = enabled; enabled {
			c.retryNow()
		}
		return nil
	})
}

// FeedStore stores how far each feed was pushed.
type FeedStore interface {
	// FeedCallbacks lists the feed callbacks in one statement.
	FeedCallbacks(context.Context) ([]FeedCallback, error)
	// UpdateFeedCallback reads a provider's feed callback, without the fields that only lists set,
	// and writes it back if fn returns nil, in one transaction. fn may run again from the start.
	UpdateFeedCallback(ctx context.Context, p ProviderID, fn func(*FeedCallback) error) (FeedCallback, error)
}

// EventReader reads the event feed of a provider: up to limit events after a cursor, and the next
// cursor. It returns InvalidCursor if it would have to skip events.
type EventReader interface {
	Events(ctx context.Context, p ProviderID, after EventID, limit int) ([]Event, EventID, error)
}

// Feeds claims batches of events for the feed callbacks. It is safe for concurrent use.
type Feeds struct {
	store  FeedStore
	events EventReader
	clock  Clock
}

// NewFeeds returns the feeds of a database.
func NewFeeds(store FeedStore, events EventReader, clock Clock) *Feeds {
	return &Feeds{store, events, clock}
}

// ReplayFeed makes a feed callback continue after a cursor, in a new generation. It returns
// InvalidCursor where [EventReader] does.
func (f *Feeds) ReplayFeed(ctx context.Context, c FeedCallback, after EventID) (FeedCallback, error) {
	if _, _, err := f.events.Events(ctx, c.Provider, after, 1); err != nil {
		return c, err
	}
	return f.store.UpdateFeedCallback(ctx, c.Provider, func(c *FeedCallback) error {
		c.begin(after, f.clock.Now())
		return nil
	})
}

// DueFeedCallbacks returns the feed callbacks to which a batch can be pushed now, and whether any
// feed callback exists. It takes one statement.
func (f *Feeds) DueFeedCallbacks(ctx context.Context) (due []FeedCallback, exist bool, err error) {
	all, err := f.store.FeedCallbacks(ctx)
	now := f.clock.Now()
	return slices.DeleteFunc(all, func(c FeedCallback) bool { return !c.due(now) }), len(all) > 0, err
}

// errBatchTaken aborts a transaction whose batch has been taken or whose callback has changed.
var errBatchTaken = errors.New("another server pushes the batch, or the callback was changed")

// ClaimFeedBatch leases the next batch of a feed callback to the caller alone. read is the
// callback as it was listed. found is false if there is no batch or another server was faster. A
// batch that was sent before covers the same events again, with their current content. If
// retention deleted events after the cursor, ClaimFeedBatch disables the callback and returns
// InvalidCursor.
func (f *Feeds) ClaimFeedBatch(ctx context.Context, read FeedCallback, lease time.Duration) (b FeedBatch, found bool, err error) {
	limit := FeedBatchSize
	if read.BatchEnd != 0 {
		limit = int(read.BatchEnd - read.Cursor)
	}
	events, end, err := f.events.Events(ctx, read.Provider, read.Cursor, limit)
	if isCode(err, InvalidCursor) || err == nil && read.BatchEnd != 0 && end != read.BatchEnd {
		return b, false, f.stopFeed(ctx, read)
	}
	if err != nil || len(events) == 0 {
		return b, false, err
	}
	now := f.clock.Now()
	claimed, err := f.store.UpdateFeedCallback(ctx, read.Provider, func(c *FeedCallback) error {
		if !c.sameBatch(read) || !c.Enabled || !c.ready(now) {
			return errBatchTaken
		}
		c.BatchEnd, c.LeasedUntil = end, now.Add(lease)
		return nil
	})
	if errors.Is(err, errBatchTaken) {
		return b, false, nil
	}
	claimed.ProviderName = read.ProviderName
	return FeedBatch{Callback: claimed, Events: events}, err == nil, err
}

// stopFeed disables a callback whose next events are no longer stored, so that none is skipped
// unnoticed, and returns the reason.
func (f *Feeds) stopFeed(ctx context.Context, read FeedCallback) error {
	gap := badCursor("events after the cursor are no longer kept: `callbacks set --feed --from-beginning` begins with the oldest that are")
	_, err := f.store.UpdateFeedCallback(ctx, read.Provider, func(c *FeedCallback) error {
		if !c.sameBatch(read) || !c.Enabled {
			return errBatchTaken
		}
		c.Enabled, c.LastError, c.NextAttempt = false, gap.Message, time.Time{}
		return nil
	})
	if errors.Is(err, errBatchTaken) {
		return nil
	}
	if err != nil {
		return err
	}
	return gap
}

// FinishFeedBatch records the outcome of a batch that ClaimFeedBatch leased, and returns the
// updated callback. current is false if the outcome no longer counts: another server has taken
// over the batch, or an operator has moved the cursor.
func (f *Feeds) FinishFeedBatch(ctx context.Context, b FeedBatch, o FeedOutcome) (after FeedCallback, current bool, err error) {
	after, err = f.store.UpdateFeedCallback(ctx, b.Callback.Provider, func(c *FeedCallback) error {
		if !c.LeasedUntil.Equal(b.Callback.LeasedUntil) {
			return errBatchTaken
		}
		c.LeasedUntil = time.Time{}
		if current = c.sameBatch(b.Callback); current {
			c.record(o, f.clock.Now())
		}
		return nil
	})
	if errors.Is(err, errBatchTaken) {
		return after, false, nil
	}
	after.ProviderName = b.Callback.ProviderName
	return after, current, err
}

// record updates the callback after an attempt to push its batch.
func (c *FeedCallback) record(o FeedOutcome, now time.Time) {
	switch {
	case o == FeedOutcome{}:
		c.Cursor, c.BatchEnd = c.BatchEnd, 0
		c.retryNow()
	case o.GiveUp:
		c.Failures, c.LastError, c.NextAttempt, c.Enabled = c.Failures+1, o.Error, time.Time{}, false
	default:
		c.Failures, c.LastError, c.NextAttempt = c.Failures+1, o.Error, now.Add(o.RetryIn)
	}
}
