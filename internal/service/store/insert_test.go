package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// SQLite takes rows in statements of a few sizes, and a column that is the same in
// all of 50 rows or more once. All of it must be where it belongs.
func TestRowsAreReadAsTheyWereInserted(t *testing.T) {
	f, db := newDatabase(t)
	first, _ := f.p.Records()
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, many := range []int{1, 7, 49, 50, 57, 400, 731} {
		for _, name := range []string{"nothing constant", "some columns", "all but the ids"} {
			t.Run(fmt.Sprint(many, " rows, ", name), func(t *testing.T) {
				events := make([]domain.Event, many)
				for n := range events {
					e := domain.Event{ID: domain.EventID(first + 1 + int64(n)), At: at, Type: domain.StatusChanged, Subscriber: domain.SubscriberID(n + 1),
						ProductID: 7, Previous: domain.Active, Status: domain.Suspended, Trigger: "suspend", Actor: domain.ActorProvider,
						Reason: "why", PreviousProductID: 3}
					if name != "all but the ids" {
						e.Service, e.Operation, e.Status = domain.ServiceID(n+2), domain.OperationID(n+3), domain.Status(1+n%5)
					}
					if name == "nothing constant" {
						e.At, e.Type, e.ProductID, e.PreviousProductID = at.Add(time.Duration(n)*time.Second), domain.EventType(1+n%2), n, 2*n
						e.Previous, e.Trigger, e.Actor, e.Reason = domain.Status(1+n%4), fmt.Sprint("t", n), domain.Actor(fmt.Sprint("a", n)), fmt.Sprint("r", n)
					}
					events[n] = e
				}
				err := db.Update(t.Context(), f.p, func(ctx context.Context, tx rules.Tx) error { return tx.Write(ctx, rules.Changes{Events: events}) })
				must(t, err)
				got, err := db.Events(t.Context(), f.p, 0, many+1)
				if err != nil || len(got) != many {
					t.Fatalf("%d events and %v, want %d", len(got), err, many)
				}
				for n, e := range got {
					if e != events[n] {
						t.Fatalf("event %d is %+v, want %+v", n, e, events[n])
					}
				}
				must(t, db.Purge(t.Context(), domain.RetentionCutoffs{Events: at.Add(time.Hour)}))
			})
		}
	}
}
