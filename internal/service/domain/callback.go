package domain

import "time"

// Callback is the URL that receives a request when a provider resends an
// activation.
type Callback struct {
	Provider     ProviderID
	URL          string
	Secret       []byte
	AllowPrivate bool // private addresses and plain http are allowed
	Enabled      bool
	Failures     int // consecutive
}

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

// SkippedEvents is the number of event ids that a restored database skips. It exceeds the number of
// events that can have followed the backup.
const SkippedEvents = 1 << 24

// EventsBehind returns how many events the receiver has not accepted yet.
func (c FeedCallback) EventsBehind() int { return int(c.Newest-c.Cursor) % SkippedEvents }

// Due reports whether a batch can be pushed now.
func (c FeedCallback) Due(now time.Time) bool {
	return c.Enabled && !c.ProviderDisabled && c.EventsBehind() > 0 && c.Ready(now)
}

// Ready reports whether no server is pushing a batch and no retry delay is running.
func (c FeedCallback) Ready(now time.Time) bool {
	return !c.LeasedUntil.After(now) && !c.NextAttempt.After(now)
}

// SameBatch reports whether both would push the same events under the same webhook id.
func (c FeedCallback) SameBatch(other FeedCallback) bool {
	return c.Generation == other.Generation && c.Cursor == other.Cursor && c.BatchEnd == other.BatchEnd
}

// Begin continues the feed after the cursor in a new generation, whose number is at least the
// current time, so that it is new even after a backup was restored.
func (c *FeedCallback) Begin(after EventID, now time.Time) {
	c.Generation = max(c.Generation+1, now.UnixMicro())
	c.Cursor, c.BatchEnd = after, 0
	c.RetryNow()
}

// RetryNow clears the failed attempts and makes the next one due now.
func (c *FeedCallback) RetryNow() { c.Failures, c.NextAttempt, c.LastError = 0, time.Time{}, "" }

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

// Record updates the callback after an attempt to push its batch.
func (c *FeedCallback) Record(o FeedOutcome, now time.Time) {
	switch {
	case o == FeedOutcome{}:
		c.Cursor, c.BatchEnd = c.BatchEnd, 0
		c.RetryNow()
	case o.GiveUp:
		c.Failures, c.LastError, c.NextAttempt, c.Enabled = c.Failures+1, o.Error, time.Time{}, false
	default:
		c.Failures, c.LastError, c.NextAttempt = c.Failures+1, o.Error, now.Add(o.RetryIn)
	}
}
