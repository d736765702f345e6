package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// insertEvents inserts subscribers with events as imports and other calls write them, and erases every
// seventh of them first. It returns the events.
func (f *fixture) insertEvents(subscribers int) (all []domain.Event) {
	f.t.Helper()
	f.insert(1, subscribers)
	number, _ := f.p.Records()
	var services []domain.Service
	add := func(n, token int, trigger string) {
		s := f.subscriber(n)
		e := domain.Event{ID: domain.EventID(number + int64(len(all)) + 1), At: noon.Add(time.Duration(len(all)) * time.Second), Type: domain.SubscriberCreated,
			Subscriber: s.ID, Trigger: trigger, Actor: domain.ActorProvider}
		if n%7 != 0 {
			e.Document = string(s.Document)
		}
		if token > 0 {
			first, _ := s.ID.Services()
			e.Type, e.Service, e.Operation = domain.StatusChanged, first+domain.ServiceID(token), domain.OperationID(number+int64(n))
			e.ProductID, e.PreviousProductID, e.Previous, e.Status, e.Reason = 7, 8, domain.InProgress, domain.Active, "asked for"
		}
		if token > 0 && trigger == "import" {
			services = append(services, domain.Service{ID: e.Service})
		}
		all = append(all, e)
	}
	for n := 1; n <= subscribers; n++ {
		trigger := []string{"import", "create"}[n%4/3]
		for token := range 1 + n%5 {
			add(n, token, trigger)
		}
		if n%3 == 0 {
			add(1+n/2, 1, "link")
		}
		if n%7 == 0 {
			f.erase([]int{n})
		}
	}
	f.update(func(ctx context.Context, tx rules.Tx) error {
		p := tx.Provider()
		p.Events += int64(len(all))
		return errors.Join(tx.SaveProvider(ctx, p), tx.Write(ctx, rules.Changes{NewServices: services, Events: all}))
	})
	return all
}

// A page of the feed has the provider's events with the documents of subscribers that are not erased, at any
// offset and length; a history has only its subscriber's.
func TestEventsAreReadAsTheyWereWritten(t *testing.T) {
	before, db := newDatabase(t)
	f, after := newProvider(t, db, "Meio"), newProvider(t, db, "Depois")
	for _, other := range []*fixture{before, after} {
		other.insertEvents(20)
	}
	all := f.insertEvents(40)
	number, _ := f.p.Records()
	for _, limit := range []int{1, 7, 2 * len(all)} {
		for n := range len(all) + 1 {
			got, err := db.Events(t.Context(), f.p, domain.EventID(number+int64(n)), limit)
			if diff := cmp.Diff(got, all[n:min(n+limit, len(all))], cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Fatalf("%d events after %d: %v (-got +want):\n%s", limit, n, err, diff)
			}
		}
	}
	histories := map[domain.SubscriberID][]domain.Event{}
	for _, e := range all {
		e.Document = "" // only the caller knows it
		histories[e.Subscriber] = append(histories[e.Subscriber], e)
	}
	for n := range 42 {
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
	all := f.insertEvents(4)
	wantSince := func(cursor int, want time.Time) {
		t.Helper()
		updateFeedCallback(t, db, f.p, func(c *domain.FeedCallback) error {
			c.URL, c.Secret, c.Cursor = "https://azul.example.com", []byte{1}, all[0].ID-1+domain.EventID(cursor)
			return nil
		})
		got, err := db.FeedCallbacks(t.Context())
		if err != nil || len(got) != 1 || !got[0].WaitingSince.Equal(want) {
			t.Errorf("after %d events: got %+v, %v, want %s", cursor, got, err, want)
		}
	}
	wantSince(0, all[0].At)
	wantSince(5, all[5].At)
	wantSince(len(all), time.Time{})
	must(t, db.Purge(t.Context(), domain.RetentionCutoffs{Events: all[7].At}))
	wantSince(5, time.Time{}) // the event is no longer kept
}
