package provision_test

import (
	"errors"
	"testing"
	"time"

	"ativa/internal/provision"
)

func TestStoredAnswersAndTokensServeTheirTime(t *testing.T) {
	w := newWorld(t, 10)
	bearer, err := w.m.Authenticate(w.ctx, w.token)
	w.must(err)
	call := w.call()
	call.IdempotencyKey = &provision.IdempotencyKey{Key: [32]byte{1}, Encode: func(any) ([]byte, error) { return []byte("answer"), nil }}
	_, err = w.m.CreateSubscriber(w.ctx, call, fields(1))
	w.must(err)

	w.now = w.now.Add(7 * 24 * time.Hour)
	w.must(w.m.Purge(w.ctx))
	_, err = w.m.CreateSubscriber(w.ctx, call, fields(1))
	if _, again := errors.AsType[*provision.Replay](err); !again {
		t.Errorf("after 7 days: got %v, want the stored answer", err)
	}
	_, err = w.m.Identify(w.ctx, bearer.Token)
	wantCode(t, err, provision.TokenInvalid) // forgotten: it expired days ago

	w.now = w.now.Add(time.Second)
	w.must(w.m.Purge(w.ctx))
	_, err = w.m.CreateSubscriber(w.ctx, call, fields(1))
	wantCode(t, err, provision.SubscriberExists) // done again, and refused
}

func TestTheHistoryIsKeptForGoodUnlessASettingSaysOtherwise(t *testing.T) {
	for keep, want := range map[time.Duration]int{0: 2, 48 * time.Hour: 1} {
		w := newWorld(t, 10, func(o *provision.Options) { o.Keep.History = keep })
		_, err := w.m.CreateSubscriber(w.ctx, w.call(), fields(1))
		w.must(err)
		w.now = w.now.Add(47 * time.Hour)
		_, err = w.m.CreateSubscriber(w.ctx, w.call(), fields(2))
		w.must(err)
		w.now = w.now.Add(2 * time.Hour)
		w.must(w.m.Purge(w.ctx))
		events, _, err := w.m.Events(w.ctx, w.p.ID, 0, 100)
		if err != nil || len(events) != want {
			t.Errorf("kept for %v: got %d events, %v, want %d", keep, len(events), err, want)
		}
		w.check(t) // a feed that was cut at its beginning has no gap
	}
}

func TestSettledReportsServeTheirTimeAndParkedOnesStay(t *testing.T) {
	w := newWorld(t, 10)
	for id, state := range map[string]provision.PartnerEventState{"a": provision.PartnerEventApplied, "s": provision.PartnerEventStale, "u": provision.PartnerEventUnmatched, "n": provision.PartnerEventStored} {
		r := provision.PartnerEvent{Partner: w.partner.ID, ID: id, Operation: 1, Kind: "suspension", ReceivedAt: w.now}
		_, err := w.store.AddPartnerEvent(w.ctx, r)
		w.must(err)
		_, err = w.store.SetPartnerEventState(w.ctx, r, state)
		w.must(err)
	}
	for _, c := range []struct {
		later time.Duration
		want  int
	}{{30 * 24 * time.Hour, 4}, {time.Second, 2}} {
		w.now = w.now.Add(c.later)
		w.must(w.m.Purge(w.ctx))
		left, err := w.store.PartnerEvents(w.ctx, nil, 0)
		if err != nil || len(left) != c.want {
			t.Errorf("%v later: got %d reports, %v, want %d", c.later, len(left), err, c.want)
		}
	}
}
