package outbox_test

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"ativa/internal/service/domain"
)

// Only the outcome of the current batch moves the cursor: not one of another generation, of a
// delivered batch, or of another server's lease. A failure of the address that an operator replaced
// neither delays nor disables the new one.
func TestAnOutcomeCountsOnlyForTheBatchThatWasSent(t *testing.T) {
	t.Parallel()
	failed, givenUp := domain.FeedOutcome{Error: "HTTP 500", RetryIn: time.Hour}, domain.FeedOutcome{Error: "HTTP 500", GiveUp: true}
	for name, c := range map[string]struct {
		meanwhile func(*fixture, domain.FeedBatch)
		late      []domain.FeedOutcome // that do not count
	}{
		"another server takes the batch over": {func(f *fixture, b domain.FeedBatch) {
			if again, found := f.claimFeed(f.feedCallback(f.defaultProvider)); found {
				f.t.Errorf("the leased batch was claimed again: %+v", again)
			}
			advance(2 * time.Minute)
			if again, found := f.claimFeed(f.feedCallback(f.defaultProvider)); !found || again.ID() != b.ID() {
				f.t.Errorf("got %s, %t, want %s taken over", again.ID(), found, b.ID())
			}
		}, []domain.FeedOutcome{{}, failed, givenUp}},
		"an operator replays events": {func(f *fixture, b domain.FeedBatch) {
			_, err := f.manager.ReplayFeed(context.Background(), b.Callback, b.Callback.Cursor+1)
			f.must(err)
		}, []domain.FeedOutcome{{}, failed, givenUp}},
		"it was acknowledged": {func(f *fixture, b domain.FeedBatch) {
			after, current, err := f.manager.FinishFeedBatch(context.Background(), b, domain.FeedOutcome{})
			if err != nil || !current || after.Cursor != b.Callback.BatchEnd || after.BatchEnd != 0 {
				f.t.Errorf("got %+v, %t, %v, want the cursor moved", after, current, err)
			}
		}, []domain.FeedOutcome{{}, failed, givenUp}},
		"an operator sets another address": {func(f *fixture, _ domain.FeedBatch) {
			f.setFeedCallback(f.defaultProvider, "https://other.example", false)
		}, []domain.FeedOutcome{failed, givenUp}},
	} {
		for _, o := range c.late {
			inBubble(t, name, func(t *testing.T) {
				f, _ := newFeedFixture(t, nil)
				f.register(f.defaultProvider, 2, 1)
				read := f.feedCallback(f.defaultProvider)
				b, found := f.claimFeed(read)
				if !found || len(b.Events) != 4 {
					t.Fatalf("got %+v, %t, want a batch of four events", b, found)
				}
				c.meanwhile(f, b)
				if b, found := f.claimFeed(read); found {
					t.Errorf("a server with the earlier callback claimed %+v", b)
				}
				want := f.feedCallback(f.defaultProvider)
				if want.LeasedUntil.Equal(b.Callback.LeasedUntil) {
					want.LeasedUntil = time.Time{}
				}
				_, current, err := f.manager.FinishFeedBatch(context.Background(), b, o)
				if got := f.feedCallback(f.defaultProvider); err != nil || current || !reflect.DeepEqual(got, want) {
					t.Errorf("the outcome %+v counted: %t, %v; got %+v, want %+v", o, current, err, got, want)
				}
			})
		}
	}
}

// claimFeed claims a batch of a feed callback as it was read.
func (f *fixture) claimFeed(read domain.FeedCallback) (domain.FeedBatch, bool) {
	f.t.Helper()
	b, found, err := f.manager.ClaimFeedBatch(context.Background(), read, time.Minute)
	f.must(err)
	return b, found
}

// A disabled provider gets nothing. A new address gets the batch that the former one refused, and a
// replay sends events again under another id, unless its cursor is refused.
func TestOperatorsControlAFeedCallback(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, old := newFeedFixture(t, statuses(500))
		p, began, h := f.defaultProvider, f.feedCallback(f.defaultProvider).Cursor, &webhookReceiver{t: t}
		f.register(p, 2, 1)
		f.start()
		advance(time.Second)
		_, err := f.manager.Enable(context.Background(), p.Name, false)
		f.must(err)
		h.setSecret(f.setFeedCallback(p, f.serve("new.example", h), false))
		advance(time.Minute)
		if n := len(h.messages()); n != 0 {
			t.Errorf("got %d messages while the provider is disabled", n)
		}
		if _, found := f.claimFeed(f.feedCallback(p)); found { // as a push does that goes on
			t.Error("a batch of a disabled provider was claimed")
		}
		_, err = f.manager.Enable(context.Background(), p.Name, true)
		f.must(err)
		advance(2 * time.Second)
		refused, got := old.messages(), h.messages()
		if len(refused) != 1 || len(got) != 1 || got[0].id != refused[0].id || got[0].body != refused[0].body {
			t.Fatalf("got %+v, before %+v, want the same batch at the new address", got, refused)
		}
		_, err = f.manager.ReplayFeed(context.Background(), f.feedCallback(p), began)
		f.must(err)
		advance(2 * time.Second)
		if got = h.messages(); len(got) != 2 || got[1].body != got[0].body || got[1].id == got[0].id {
			t.Errorf("got %+v, want the message again under another id", got)
		}
		if _, err := f.manager.ReplayFeed(context.Background(), f.feedCallback(p), 1); !domain.IsCode(err, domain.InvalidCursor) {
			t.Errorf("a replay after a cursor of nobody: got %v", err)
		}
	})
}
