package store_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// mixedEvents returns n events as imports and other calls write them. Every third subscriber is
// erased before them.
func (f *fixture) mixedEvents(random *rand.Rand, n int) []domain.Event {
	number, _ := f.p.Records()
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	var all []domain.Event
	add := func(trigger string, e domain.Event) {
		e.ID, e.At, e.Actor, e.Trigger = domain.EventID(number+int64(len(all))+1), at, domain.ActorProvider, trigger
		if e.Subscriber%3 != 0 {
			e.Document = string(f.subscriber(int(e.Subscriber - f.subscriber(0).ID)).Document)
		}
		all = append(all, e)
	}
	for i := 1; len(all) < n; i++ {
		s := f.subscriber(i)
		first, _ := s.ID.Services()
		if i%200 == 0 {
			at = at.Add(time.Second) // the next request
		}
		trigger := []string{"import", "create"}[random.IntN(8)/7]
		add(trigger, domain.Event{Type: domain.SubscriberCreated, Subscriber: s.ID})
		for token := range random.IntN(4) {
			add(trigger, domain.Event{Type: domain.StatusChanged, Subscriber: s.ID, Service: first + domain.ServiceID(token) + 1, ProductID: 1 + random.IntN(300),
				Status: domain.InProgress, Operation: domain.OperationID(number + int64(len(all)))})
		}
		switch random.IntN(20) {
		case 0:
			add("delete", domain.Event{Type: domain.SubscriberDeleted, Subscriber: s.ID, Reason: "asked for"})
		case 1:
			add("link", domain.Event{Type: domain.StatusChanged, Subscriber: f.subscriber(1 + random.IntN(i)).ID, Service: first + 1, ProductID: 7,
				PreviousProductID: 8, Previous: domain.InProgress, Status: domain.Active, Operation: domain.OperationID(number + 1)})
		}
	}
	return all[:n]
}

// insertEvents inserts the subscribers of events, erases every third of them and writes
// the events, and the services that an import started, in writes of a few hundred.
func (f *fixture) insertEvents(random *rand.Rand, all []domain.Event) {
	f.t.Helper()
	last := int(all[len(all)-1].Subscriber - f.subscriber(0).ID)
	f.insert(1, last)
	var erased []int
	for n := 1; n <= last; n++ {
		if f.subscriber(n).ID%3 == 0 {
			erased = append(erased, n)
		}
	}
	f.erase(erased)
	for rest := all; len(rest) > 0; {
		n := min(1+random.IntN(700), len(rest))
		var services []domain.Service
		for _, e := range rest[:n] {
			if e.Service > 0 && e.Trigger == "import" {
				services = append(services, domain.Service{ID: e.Service})
			}
		}
		f.update(func(ctx context.Context, tx rules.Tx) error {
			p := tx.Provider()
			p.Events += int64(n)
			return errors.Join(tx.SaveProvider(ctx, p), tx.Write(ctx, rules.Changes{NewServices: services}), tx.Write(ctx, rules.Changes{Events: rest[:n]}))
		})
		rest = rest[n:]
	}
}

// A page of the feed has the same events at any offset and length, and a history has only its
// subscriber's.
func TestEventsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	other, db := newDatabase(t)
	random := rand.New(rand.NewPCG(7, 11))
	other.insertEvents(random, other.mixedEvents(random, 300))
	f := newProvider(t, db, "Meio")
	later := newProvider(t, db, "Depois")
	later.insertEvents(random, later.mixedEvents(random, 300))
	all := f.mixedEvents(random, 2500)
	f.insertEvents(random, all)
	number, _ := f.p.Records()
	for _, limit := range []int{7, 500, 2600} {
		for after := 0; after < len(all); after += 1 + random.IntN(max(limit, 50)) {
			got, err := db.Events(t.Context(), f.p, domain.EventID(number+int64(after)), limit)
			must(t, err)
			if diff := cmp.Diff(got, all[after:min(after+limit, len(all))]); diff != "" {
				t.Fatalf("%d events after %d (-got +want):\n%s", limit, after, diff)
			}
		}
	}
	if got, err := db.Events(t.Context(), f.p, domain.EventID(number+int64(len(all))), 5); err != nil || len(got) != 0 {
		t.Errorf("after the last event: got %+v, %v", got, err)
	}
	histories := map[domain.SubscriberID][]domain.Event{}
	for _, e := range all {
		e.Document = "" // only the caller knows it
		histories[e.Subscriber] = append(histories[e.Subscriber], e)
	}
	for n := 0; n <= int(all[len(all)-1].Subscriber-f.subscriber(0).ID)+1; n += 7 { // some of each kind
		id := f.subscriber(n).ID
		got, err := db.History(t.Context(), id)
		if diff := cmp.Diff(got, histories[id]); err != nil || diff != "" {
			t.Fatalf("subscriber %d: %v (-got +want):\n%s", n, err, diff)
		}
	}
}

// WaitingSince of a feed callback is the time of the event after its cursor.
func TestAFeedWaitsSinceTheEventAfterItsCursor(t *testing.T) {
	f, db := newDatabase(t)
	random := rand.New(rand.NewPCG(3, 5))
	all := f.mixedEvents(random, 900)
	f.insertEvents(random, all)
	for _, cursor := range []int{0, 3, 400, 500, 899, 900} {
		updateFeedCallback(t, db, f.p, func(c *domain.FeedCallback) error {
			c.URL, c.Secret, c.Cursor = "https://azul.example.com", []byte{1}, all[0].ID-1+domain.EventID(cursor)
			return nil
		})
		var want time.Time
		if cursor < len(all) {
			want = all[cursor].At
		}
		got, err := db.FeedCallbacks(t.Context())
		if err != nil || len(got) != 1 || !got[0].WaitingSince.Equal(want) {
			t.Errorf("after %d events: got %+v, %v, want %s", cursor, got, err, want)
		}
	}
	must(t, db.Purge(t.Context(), domain.RetentionCutoffs{Events: all[800].At.Add(time.Nanosecond)}))
	updateFeedCallback(t, db, f.p, func(c *domain.FeedCallback) error {
		c.Cursor = all[100].ID
		return nil
	})
	if got, err := db.FeedCallbacks(t.Context()); err != nil || !got[0].WaitingSince.IsZero() {
		t.Errorf("the event after the cursor is no longer kept: got %+v, %v", got, err)
	}
}
