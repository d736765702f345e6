package store_test

import (
	"context"
	"errors"
	"fmt"
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

func TestAPurgeDeletesOnlyOldRows(t *testing.T) {
	f, db := newDatabase(t)
	partner, err := db.CreatePartner(t.Context(), domain.Partner{Name: "Parceiro", Driver: domain.DriverManual, Secret: []byte("secret")})
	must(t, err)
	other, err := db.CreateProvider(t.Context(), domain.Provider{Name: "Outro"}, nil, domain.AccessToken{Name: "default", Hash: [32]byte{1}})
	must(t, err)
	tokens, err := db.AccessTokens(t.Context(), []domain.ProviderID{other.ID})
	must(t, err)
	first, _ := f.p.Records()
	times := []time.Time{noon.Add(-time.Microsecond), noon}
	for i, at := range times {
		n := int64(i + 1)
		must(t, db.SaveBearer(t.Context(), domain.BearerToken{Hash: [32]byte{byte(n)}, AccessToken: tokens[0], ExpiresAt: at}))
		for state := domain.PartnerEventApplied; state <= domain.PartnerEventUnmatched; state++ {
			_, err := db.AddPartnerEvent(t.Context(), domain.PartnerEvent{Partner: partner.ID, ID: fmt.Sprint(i, state), ReceivedAt: at, State: state})
			must(t, err)
		}
		f.update(func(ctx context.Context, tx rules.Tx) error {
			c := rules.Changes{Events: []domain.Event{{ID: domain.EventID(first + n), At: at, Type: domain.SubscriberCreated}}}
			for state := domain.OutboxDue; state <= domain.OutboxDead; state++ {
				c.NewDeliveries = append(c.NewDeliveries, domain.Delivery{ID: domain.DeliveryID(first + 10*n + int64(state)), Kind: domain.EmailDelivery, State: state, CreatedAt: at, NextAt: at})
			}
			return errors.Join(tx.Write(ctx, c), tx.SaveResponse(ctx, domain.StoredResponse{Key: [32]byte{byte(n)}, Results: "x", CreatedAt: at}))
		})
	}
	must(t, db.Purge(t.Context(), domain.RetentionCutoffs{Responses: noon, Deliveries: noon, Bearers: noon, PartnerEvents: noon, Events: noon}))
	for i, want := range []bool{false, true} {
		key := [32]byte{byte(i + 1)}
		if _, found, err := db.BearerByHash(t.Context(), key); err != nil || found != want {
			t.Errorf("bearer token %d: found %t, %v, want %t", i, found, err, want)
		}
		f.update(func(ctx context.Context, tx rules.Tx) error {
			if _, found, err := tx.StoredResponse(ctx, key); err != nil || found != want {
				t.Errorf("response %d: found %t, %v, want %t", i, found, err, want)
			}
			return nil
		})
	}
	deliveries, err := db.Deliveries(t.Context(), domain.DeliveryFilter{})
	if err != nil || len(deliveries) != 7 {
		t.Errorf("got %d deliveries, %v, want all but the old one that is done", len(deliveries), err)
	}
	events, err := db.Events(t.Context(), f.p, 0, 10)
	if err != nil || len(events) != 1 || !events[0].At.Equal(noon) {
		t.Errorf("got %v, %v, want the newer event", events, err)
	}
	reported, err := db.PartnerEvents(t.Context(), nil)
	if err != nil || len(reported) != 3 || !reported[0].ReceivedAt.Equal(noon) {
		t.Errorf("got %v, %v, want the three newer partner events", reported, err)
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
