package store_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/provision"
	"ativa/internal/store"
	"ativa/internal/store/pgtest"
)

// importedEvents are events as imports record them, between those of other calls that
// look alike: with another time, a reason, a subscriber or service created out of order.
// Every third subscriber has been deleted.
func (f *fixture) importedEvents(random *rand.Rand, many int) []provision.Event {
	number, _ := f.p.Records()
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	var all []provision.Event
	add := func(e provision.Event) {
		e.ID, e.At, e.Actor, e.Trigger = provision.EventID(number+int64(len(all))+1), at, provision.ActorProvider, "import"
		if e.Subscriber%3 != 0 {
			e.Document = string(f.subscriber(int(e.Subscriber - f.subscriber(0).ID)).Document)
		}
		all = append(all, e)
	}
	operation := number
	for n := 1; len(all) < many; n++ {
		s := f.subscriber(n)
		first, _ := s.ID.Services()
		if n%200 == 0 {
			at = at.Add(time.Second) // the next request
		}
		if n%17 == 0 {
			n += random.IntN(3) // it exists already
			continue
		}
		add(provision.Event{Type: provision.SubscriberCreated, Subscriber: s.ID})
		for token := range random.IntN(4) {
			operation++
			add(provision.Event{Type: provision.StatusChanged, Subscriber: s.ID, Service: first + provision.ServiceID(token) + 1, ProductID: 1 + random.IntN(300),
				Status: provision.InProgress, Operation: provision.OperationID(operation)})
		}
		switch random.IntN(60) {
		case 0:
			add(provision.Event{Type: provision.SubscriberDeleted, Subscriber: s.ID, Reason: "asked for"})
		case 1:
			add(provision.Event{Type: provision.StatusChanged, Subscriber: f.subscriber(1 + random.IntN(n)).ID, Service: first + 1, ProductID: 7,
				PreviousProductID: 8, Previous: provision.InProgress, Status: provision.Active, Operation: provision.OperationID(number + 1)})
		case 2:
			add(provision.Event{Type: provision.SubscriberUpdated, Subscriber: s.ID})
		}
	}
	return all[:many]
}

// insertEvents writes events in writes of a few hundred, as the chunks of requests are.
func (f *fixture) insertEvents(random *rand.Rand, all []provision.Event) {
	f.t.Helper()
	last := int(all[len(all)-1].Subscriber - f.subscriber(0).ID)
	f.insert(1, last)
	var gone []int
	for n := 1; n <= last; n++ {
		if f.subscriber(n).ID%3 == 0 {
			gone = append(gone, n)
		}
	}
	f.erase(gone)
	for rest := all; len(rest) > 0; {
		n := min(1+random.IntN(700), len(rest))
		f.writeEvents(rest[:n])
		rest = rest[n:]
	}
}

// writeEvents writes events in one write.
func (f *fixture) writeEvents(all []provision.Event) {
	f.t.Helper()
	all = slices.Clone(all)
	for i := range all {
		all[i].Document = "" // is set when they are read
	}
	f.update(func(ctx context.Context, tx provision.Tx) error {
		p := tx.Provider()
		p.Events += int64(len(all))
		if err := tx.SaveProvider(ctx, p); err != nil {
			return err
		}
		return tx.InsertEvents(ctx, all)
	})
}

// Whether events are written in runs is seen by nobody who reads them: not in a page of
// the feed wherever it begins and ends, not in a history, not in a report.
func TestEventsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	db := openNew(t, store.Options{})
	defer db.Close()
	random := rand.New(rand.NewPCG(7, 11))
	other := newProvider(t, db, "Antes")
	other.insertEvents(random, other.importedEvents(random, 300))
	f := newFixture(t, db)
	later := newProvider(t, db, "Depois")
	later.insertEvents(random, later.importedEvents(random, 300))
	all := f.importedEvents(random, 2500)
	f.insertEvents(random, all)
	number, _ := f.p.Records()
	for _, limit := range []int{1, 7, 500, 2600} {
		for after := 0; after < len(all); after += 1 + random.IntN(limit) {
			got, err := db.Events(t.Context(), f.p, provision.EventID(number+int64(after)), limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, all[after:min(after+limit, len(all))]); diff != "" {
				t.Fatalf("%d events after %d (-got +want):\n%s", limit, after, diff)
			}
		}
	}
	if got, err := db.Events(t.Context(), f.p, provision.EventID(number+int64(len(all))), 5); err != nil || len(got) != 0 {
		t.Errorf("after the last event: got %+v, %v", got, err)
	}
	histories := map[provision.SubscriberID][]provision.Event{}
	for _, e := range all {
		e.Document = "" // the caller knows it
		histories[e.Subscriber] = append(histories[e.Subscriber], e)
	}
	for n := 0; n <= int(all[len(all)-1].Subscriber-f.subscriber(0).ID)+1; n++ {
		id := f.subscriber(n).ID
		got, err := db.History(t.Context(), id)
		if diff := cmp.Diff(got, histories[id]); err != nil || diff != "" {
			t.Fatalf("subscriber %d: %v (-got +want):\n%s", n, err, diff)
		}
	}
}

// newEventFixture opens a database with so many events of imports, in runs and alone.
func newEventFixture(t *testing.T, n int) (*store.DB, *fixture, []provision.Event) {
	t.Helper()
	db := openNew(t, store.Options{})
	t.Cleanup(func() { db.Close() })
	f, random := newFixture(t, db), rand.New(rand.NewPCG(3, 5))
	all := f.importedEvents(random, n)
	f.insertEvents(random, all)
	return db, f, all
}

// A history is read down indexes, however many other events and runs there are.
func TestAHistoryIsReadDownTheIndexes(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	random := rand.New(rand.NewPCG(3, 5))
	for _, name := range []string{"Velho", "Novo"} {
		f := newProvider(t, db, name)
		f.insertEvents(random, f.importedEvents(random, 6000))
		if strings.HasPrefix(dsn, "postgres") && name == "Velho" {
			pgtest.Exec(t, dsn, `ANALYZE`)
		}
		id := f.subscriber(1300).ID
		rows, plans, err := store.RowsOf(t.Context(), db, func() {
			if _, err := db.History(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
		if err != nil || rows == 0 || rows > 5 {
			t.Errorf("got %d rows and %v, want a few", rows, err)
		}
		if strings.HasPrefix(dsn, "postgres") {
			plans = queried(t, dsn, `EXPLAIN `+store.HistoryOf(id))
		}
		if !strings.Contains(plans, "event_run") || !strings.Contains(plans, "event_subscriber") || strings.Contains(plans, "SCAN event") || strings.Contains(plans, "Seq Scan on event") {
			t.Errorf("the plan is\n%s", plans)
		}
	}
}

// A feed callback waits since the event after its cursor, also within a run.
func TestAFeedWaitsSinceTheEventAfterItsCursor(t *testing.T) {
	db, f, all := newEventFixture(t, 900)
	for _, cursor := range []int{0, 3, 400, 500, 899, 900} {
		must(t, db.UpdateFeedCallback(t.Context(), f.p, func(c *provision.FeedCallback) error {
			c.URL, c.Secret, c.Cursor = "https://azul.example.com", []byte{1}, all[0].ID-1+provision.EventID(cursor)
			return nil
		}))
		var want time.Time
		if cursor < len(all) {
			want = all[cursor].At
		}
		got, err := db.FeedCallbacks(t.Context())
		if err != nil || len(got) != 1 || !got[0].WaitingSince.Equal(want) {
			t.Errorf("after %d events: got %+v, %v, want %s", cursor, got, err, want)
		}
	}
	must(t, db.Purge(t.Context(), provision.RetentionCutoffs{Events: all[800].At.Add(time.Nanosecond)}))
	must(t, db.UpdateFeedCallback(t.Context(), f.p, func(c *provision.FeedCallback) error {
		c.Cursor = all[100].ID
		return nil
	}))
	if got, err := db.FeedCallbacks(t.Context()); err != nil || !got[0].WaitingSince.IsZero() {
		t.Errorf("the event after the cursor is no longer kept: got %+v, %v", got, err)
	}
}
