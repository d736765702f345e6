package store_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// Erasing a subscriber deletes its own deliveries, links and stored responses, and no others. A purge
// leaves nothing of it in the files.
func TestErasureTakesDeliveriesLinksAndAnswers(t *testing.T) {
	dsn := pgtest.DSN(t)
	f, db := newDatabaseOn(t, dsn, store.Options{})
	f.insert(1, 3)
	var links []domain.Link
	f.insertDeliveries(9, func(n int, j *domain.Delivery) { // the first two and the last service of each
		from, to := f.subscriber(1 + n/3).ID.Services()
		j.Service = []domain.ServiceID{from, from + 1, to}[n%3]
		links = append(links, domain.Link{Hash: [32]byte{byte(n)}, Service: j.Service, EmailNumber: 1, ExpiresAt: noon})
	})
	f.update(func(ctx context.Context, tx rules.Tx) (err error) {
		for n := 1; n <= 3; n++ {
			err = errors.Join(err, tx.SaveResponse(ctx, domain.StoredResponse{Key: [32]byte{byte(n)}, Results: "Canário", Subscriber: f.subscriber(n).ID, CreatedAt: noon}))
		}
		return err
	})
	must(t, db.FinishDeliveries(t.Context(), nil, links))
	f.update(func(ctx context.Context, tx rules.Tx) error { return tx.EraseSubscriber(ctx, f.subscriber(2).ID) })
	erased := f.subscriber(2).ID
	for n, l := range links {
		if _, found, err := db.LinkByHash(t.Context(), l.Hash); err != nil || found != (l.Service.Subscriber() != erased) {
			t.Errorf("link %d: got found %t, %v", n, found, err)
		}
	}
	left, err := db.Deliveries(t.Context(), domain.DeliveryFilter{})
	if err != nil || len(left) != 6 || slices.ContainsFunc(left, func(d domain.Delivery) bool { return d.Service.Subscriber() == erased }) {
		t.Errorf("got %d deliveries, %v, want 6 of others", len(left), err)
	}
	f.update(func(ctx context.Context, tx rules.Tx) error {
		for n := 1; n <= 3; n++ {
			a, found, err := tx.StoredResponse(ctx, [32]byte{byte(n)})
			if err != nil || !found || (a.Open == nil) != (n == 2) {
				t.Errorf("response %d: found %t, %v", n, found, err)
			}
			var results string
			if n != 2 && (a.Open([32]byte{}, &results) != nil || results != "Canário" || a.Open([32]byte{1}, &results) == nil) {
				t.Errorf("response %d: got %q, want what was stored, and nothing with another secret", n, results)
			}
		}
		return nil
	})
	if bytes.Contains(pgtest.Kept(t, dsn), []byte("Canário")) {
		t.Error("the database holds results in the clear")
	}
	must(t, db.Purge(t.Context(), domain.RetentionCutoffs{}))
	kept := string(pgtest.Kept(t, dsn))
	if other, gone := f.subscriber(1), f.subscriber(2); !strings.Contains(kept, other.Email) || strings.Contains(kept, gone.Email) || strings.Contains(kept, gone.Name) {
		t.Error("the files hold what is erased, or are not those of the database")
	}
}

// Partner events are listed in the order of arrival, even within one moment; each is stored once and
// its state is set once.
func TestPartnerEventsAreListedInOrderAndSettledOnce(t *testing.T) {
	f, db := newDatabase(t)
	var want []domain.PartnerEvent
	for n, id := range []string{"b", "é", "A", "A", "c"} { // the first three of one moment, the third of another partner
		e := domain.PartnerEvent{Partner: domain.PartnerID(1 + n%3/2), ID: id, Kind: "change", ReceivedAt: noon.Add(time.Duration(n/3) * time.Second), State: domain.PartnerEventUnmatched}
		for _, want := range []bool{true, false} {
			if added, err := db.AddPartnerEvent(t.Context(), e); err != nil || added != want {
				t.Fatalf("%s: got added %t, %v, want %t", e.ID, added, err, want)
			}
		}
		want = append(want, e)
	}
	all, err := db.PartnerEvents(t.Context(), nil)
	if diff := cmp.Diff(all, want); err != nil || diff != "" {
		t.Errorf("%v (-got +want):\n%s", err, diff)
	}

	set := func(to domain.PartnerEventState) (done bool) {
		f.update(func(ctx context.Context, tx rules.Tx) (err error) {
			done, err = tx.SetPartnerEventState(ctx, all[0], to)
			return err
		})
		return done
	}
	if !set(domain.PartnerEventUnmatched) || !set(domain.PartnerEventApplied) || set(domain.PartnerEventApplied) {
		t.Error("a parked event is settled twice, or not at all")
	}
	if left, err := db.PartnerEvents(t.Context(), []domain.PartnerEventState{domain.PartnerEventUnmatched}); err != nil || len(left) != len(want)-1 {
		t.Errorf("got %d parked, %v, want all but the one that is settled", len(left), err)
	}
}
