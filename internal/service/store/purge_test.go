package store_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// A purge of many rows takes many small writes, so that other writes do not wait long.
func TestAPurgeOfManyRowsIsManyWrites(t *testing.T) {
	f, db := newDatabase(t)
	const old = 1200
	first, _ := f.p.Records()
	var c rules.Changes
	for n := range old {
		c.Events = append(c.Events, domain.Event{ID: domain.EventID(first + int64(n) + 1), At: noon, Type: domain.SubscriberCreated})
		c.NewDeliveries = append(c.NewDeliveries, domain.Delivery{ID: domain.DeliveryID(first + int64(n) + 1), State: domain.OutboxDone, NextAt: noon})
	}
	f.write(c)
	later := noon.Add(time.Second)
	writes, err := store.WritesOf(db, func() error { return db.Purge(t.Context(), domain.RetentionCutoffs{Deliveries: later, Events: later}) })
	if err != nil || writes != 6 {
		t.Errorf("got %d writes, %v, want three of deliveries and three of events", writes, err)
	}
}

// A purge deletes the rows that are older than their time, and of some tables only those that nothing
// waits for.
func TestAPurgeDeletesOnlyOldRows(t *testing.T) {
	dsn := pgtest.DSN(t)
	seedEveryTable(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	const old = 1_000_000 // microseconds
	for _, c := range []struct {
		table, set, cutoff string
		kept               bool
	}{
		{"idempotency_response", "created_at", "Responses", false},
		{"bearer_token", "expires_at", "Bearers", false},
		{"activation_link", "expires_at", "Links", false},
		{"delivery", "state = 0, next_at", "Deliveries", true},
		{"delivery", "state = 3, next_at", "Deliveries", true},
		{"delivery", "state = 2, next_at", "Deliveries", false},
		{"schedule", "ended_at = 0, due_at", "Events", true},
		{"schedule", "ended_at", "Events", false},
		{"partner_event", "received_at", "PartnerEvents", false},
		{"operator_record", "at", "Record", false},
		{"refused_request", "hour", "Refused", false},
		{"event", "at", "Events", false},
	} {
		execute(t, dsn, fmt.Sprintf(`UPDATE %s SET %s = %d`, c.table, c.set, old))
		for later, kept := range []bool{true, c.kept} {
			var cutoffs domain.RetentionCutoffs
			reflect.ValueOf(&cutoffs).Elem().FieldByName(c.cutoff).Set(reflect.ValueOf(time.UnixMicro(int64(old + later))))
			must(t, db.Purge(t.Context(), cutoffs))
			if n, err := db.Count(t.Context(), c.table); err != nil || n > 0 != kept {
				t.Errorf("%s, %s, %d µs later: got %d rows, %v, want some: %t", c.table, c.set, later, n, err, kept)
			}
		}
	}
}

func TestStatsCountOpenWork(t *testing.T) {
	dsn := pgtest.DSN(t)
	seed(t, dsn)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	execute(t, dsn, `UPDATE delivery SET state = 3 WHERE id = (SELECT MIN(id) FROM delivery)`)
	execute(t, dsn, `UPDATE operation SET deadline = 5`) // activations wait for no partner
	execute(t, dsn, `UPDATE operation SET kind = 2 WHERE id = (SELECT MAX(id) FROM operation)`)
	f, err := db.Stats(t.Context())
	must(t, err)
	now := time.Now()
	got := fmt.Sprint(f.Queued, f.Operations, len(f.Outbox), f.Outbox[0].Kind, f.Outbox[0].Open, f.Outbox[0].Dead, f.Outbox[1].Open)
	if want := "2 1 3 email 2 1 0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if late := domain.Lateness(f.Outbox[0].Oldest, now); late <= 0 || late > time.Minute {
		t.Errorf("the oldest e-mail is late by %v, want a moment", late)
	}
	if late := domain.Lateness(f.Outbox[1].Oldest, now); late != 0 {
		t.Errorf("no callback is open, but the oldest is late by %v", late)
	}
}
