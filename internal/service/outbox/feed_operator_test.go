package outbox_test

import (
	"context"
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
	ctx := context.Background()
	synctest.Test(t, func(t *testing.T) {
		f, _ := newFeedFixture(t, nil)
		f.register(f.defaultProvider, 2, 1)
		c := f.feedCallback(f.defaultProvider)
		wantStale := func(after string) { // a server with the earlier callback pushes nothing
			t.Helper()
			if b, found, err := f.manager.ClaimFeedBatch(ctx, c, time.Minute); found || err != nil {
				t.Errorf("after %s: claimed %+v, %v by what was read before", after, b, err)
			}
		}
		late, found, err := f.manager.ClaimFeedBatch(ctx, c, time.Second)
		if err != nil || !found || len(late.Events) != 4 {
			t.Fatalf("got %+v, %t, %v", late, found, err)
		}
		if _, again, err := f.manager.ClaimFeedBatch(ctx, f.feedCallback(f.defaultProvider), time.Second); err != nil || again {
			t.Errorf("a leased batch was claimed again: %v", err)
		}
		advance(2 * time.Second)
		b, found, err := f.manager.ClaimFeedBatch(ctx, f.feedCallback(f.defaultProvider), time.Minute)
		if err != nil || !found || b.ID() != late.ID() {
			t.Fatalf("got %s, %t, %v, want %s taken over", b.ID(), found, err, late.ID())
		}
		for _, o := range []domain.FeedOutcome{{}, {Error: "HTTP 500", RetryIn: time.Hour}, {Error: "HTTP 500", GiveUp: true}} {
			if _, current, err := f.manager.FinishFeedBatch(ctx, late, o); err != nil || current {
				t.Errorf("the outcome %+v of a server that lost its lease counted: %v", o, err)
			}
		}
		if now := f.feedCallback(f.defaultProvider); now.Cursor != c.Cursor || now.Failures != 0 || !now.Enabled || !now.LeasedUntil.Equal(b.Callback.LeasedUntil) {
			t.Errorf("got %+v", now)
		}
		_, err = f.manager.ReplayFeed(ctx, c, c.Cursor+1)
		f.must(err)
		after, current, err := f.manager.FinishFeedBatch(ctx, b, domain.FeedOutcome{})
		if err != nil || current || after.Cursor != c.Cursor+1 || !after.LeasedUntil.IsZero() {
			t.Errorf("the outcome of an earlier generation counted, or left the lease: %+v, %v", after, err)
		}
		wantStale("a replay")
		b, found, err = f.manager.ClaimFeedBatch(ctx, f.feedCallback(f.defaultProvider), time.Minute)
		if err != nil || !found || len(b.Events) != 3 || b.ID() == late.ID() {
			t.Fatalf("got %+v, %t, %v, want a new id", b, found, err)
		}
		if after, current, err = f.manager.FinishFeedBatch(ctx, b, domain.FeedOutcome{}); err != nil || !current || after.Cursor != b.Callback.BatchEnd || after.BatchEnd != 0 {
			t.Errorf("got %+v, %t, %v, want the cursor moved", after, current, err)
		}
		if _, current, err = f.manager.FinishFeedBatch(ctx, b, domain.FeedOutcome{}); err != nil || current {
			t.Errorf("the cursor was moved twice: %v", err)
		}
		f.register(f.defaultProvider, 1, 1)
		wantStale("a push")
		b, _, err = f.manager.ClaimFeedBatch(ctx, f.feedCallback(f.defaultProvider), time.Minute)
		f.must(err)
		_, _, err = f.manager.FinishFeedBatch(ctx, b, domain.FeedOutcome{Error: "HTTP 500"})
		f.must(err)
		wantStale("a failure")
		for _, o := range []domain.FeedOutcome{{Error: "HTTP 500", RetryIn: time.Hour}, {Error: "HTTP 500", GiveUp: true}} {
			advance(2 * time.Hour)
			b, _, err = f.manager.ClaimFeedBatch(ctx, f.feedCallback(f.defaultProvider), time.Minute)
			f.must(err)
			f.setFeedCallback(f.defaultProvider, "https://other.example", false)
			after, current, err = f.manager.FinishFeedBatch(ctx, b, o)
			if err != nil || current || !after.Enabled || !after.Ready(f.manager.Now()) {
				t.Errorf("the outcome %+v of the former address counted: %+v, %v", o, after, err)
			}
		}
	})
}

// The operator's actions: a new URL keeps cursor and batch, disabling stops, enabling continues,
// replaying sends under new ids.
func TestOperatorsControlAFeedCallback(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, manual)
		p := f.defaultProvider
		f.register(p, 2, 1)
		old, h := &webhookReceiver{t: t, respond: statuses(500)}, &webhookReceiver{t: t}
		old.secret = f.setFeedCallback(p, f.serve("old.example", old), true)
		f.start()
		advance(time.Second)
		h.setSecret(f.setFeedCallback(p, f.serve("new.example", h), false))
		advance(2 * time.Second)
		if got := h.messages(); len(got) != 1 || len(old.messages()) != 1 || got[0].id != old.messages()[0].id || got[0].body != old.messages()[0].body {
			t.Fatalf("got %+v, before %+v, want the same batch at the new address", got, old.messages())
		}
		_, err := f.manager.EnableFeedCallback(ctx, p.Name, false)
		f.must(err)
		f.register(p, 1, 1)
		advance(time.Minute)
		if n := len(h.messages()); n != 1 {
			t.Errorf("got %d messages while it is disabled", n-1)
		}
		_, err = f.manager.Enable(ctx, p.Name, false)
		f.must(err)
		_, err = f.manager.EnableFeedCallback(ctx, p.Name, true)
		f.must(err)
		advance(time.Minute)
		if n := len(h.messages()); n != 1 {
			t.Errorf("got %d messages while the provider is disabled", n-1)
		}
		_, err = f.manager.Enable(ctx, p.Name, true)
		f.must(err)
		advance(2 * time.Second)
		wantOnceInOrder(t, h.messages(), f.eventIDs(p, 0))
		first, _ := decodeFeed(t, h.messages()[0].body)
		after, err := domain.ParseEventID(first.Data.NextCursor)
		f.must(err)
		_, err = f.manager.ReplayFeed(ctx, f.feedCallback(p), after)
		f.must(err)
		advance(2 * time.Second)
		got := h.messages()
		if len(got) != 3 || got[2].body != got[1].body || got[2].id == got[1].id {
			t.Errorf("got %+v, want the second message again under another id", got)
		}
		for _, cursor := range []domain.EventID{after + 1000, 1} {
			if _, err := f.manager.ReplayFeed(ctx, f.feedCallback(p), cursor); !domain.IsCode(err, domain.InvalidCursor) {
				t.Errorf("replay after %s: got %v", cursor, err)
			}
		}
	})
}
