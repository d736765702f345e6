package store_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// What an erased subscriber leaves behind: of the deliveries, links and stored
// answers those of others, of the own none.
func TestErasureTakesJobsLinksAndAnswers(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := open(t, dsn, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	f.insert(1, 3)
	now := time.Now()
	first, _ := f.p.Records()
	var jobs []domain.Job
	var links []domain.Link
	for n := 1; n <= 3; n++ {
		from, to := f.subscriber(n).ID.Services()
		for i, service := range []domain.ServiceID{from, from + 1, to} {
			number := byte(10*n + i)
			jobs = append(jobs, domain.Job{ID: domain.JobID(first + int64(number)), Kind: domain.EmailJob, Service: service, CreatedAt: now, NextAt: now})
			links = append(links, domain.Link{Hash: [32]byte{number}, Service: service, EmailNumber: 1, ExpiresAt: now.Add(time.Hour)})
		}
	}
	f.update(func(ctx context.Context, tx rules.Tx) error {
		for n := 1; n <= 3; n++ {
			a := domain.StoredResponse{Key: [32]byte{byte(n)}, Results: "Canário", Subscriber: f.subscriber(n).ID, CreatedAt: now}
			if err := tx.SaveResponse(ctx, a); err != nil {
				return err
			}
		}
		return tx.Write(ctx, rules.Changes{NewJobs: jobs})
	})
	must(t, db.FinishJobs(t.Context(), nil, links))
	f.update(func(ctx context.Context, tx rules.Tx) error { return tx.EraseSubscriber(ctx, f.subscriber(2).ID) })
	for _, l := range links {
		if _, found, err := db.LinkByHash(t.Context(), l.Hash); err != nil || found != (l.Hash[0]/10 != 2) {
			t.Errorf("link %d: got found %t, %v", l.Hash[0], found, err)
		}
	}
	left, err := db.Jobs(t.Context(), domain.JobFilter{})
	if err != nil || len(left) != 6 {
		t.Errorf("got %d jobs, %v, want 6", len(left), err)
	}
	for _, j := range left {
		if (int64(j.ID)-first)/10 == 2 {
			t.Errorf("job %d of the erased subscriber is left", int64(j.ID)-first)
		}
	}
	f.update(func(ctx context.Context, tx rules.Tx) error {
		for n := 1; n <= 3; n++ {
			a, found, err := tx.StoredResponse(ctx, [32]byte{byte(n)})
			if err != nil || !found || (a.Open == nil) != (n == 2) {
				t.Errorf("answer %d: found %t, %v", n, found, err)
			}
			var results string
			if n != 2 && (a.Open([32]byte{}, &results) != nil || results != "Canário" || a.Open([32]byte{1}, &results) == nil) {
				t.Errorf("answer %d: got %q, want what was stored, and nothing with another secret", n, results)
			}
		}
		return nil
	})
	if bytes.Contains(pgtest.Kept(t, dsn), []byte("Canário")) {
		t.Error("the database holds results in the clear")
	}
}

// Partner events are listed in the order in which they came, those of one moment too;
// each is stored once and its state is set once.
func TestPartnerEventsAreListedInOrderAndSettledOnce(t *testing.T) {
	f, db := newDatabase(t)
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	var want, got []string
	for moment := range 3 {
		for partner := domain.PartnerID(1); partner <= 2; partner++ {
			for _, id := range []string{"A", "b", "é"} {
				e := domain.PartnerEvent{Partner: partner, ID: fmt.Sprint(id, moment), Kind: "change", ReceivedAt: now.Add(time.Duration(moment) * time.Second), State: domain.PartnerEventUnmatched}
				for _, want := range []bool{true, false} {
					if added, err := db.AddPartnerEvent(t.Context(), e); err != nil || added != want {
						t.Fatalf("%s: got added %t, %v, want %t", e.ID, added, err, want)
					}
				}
				want = append(want, fmt.Sprint(partner, e.ID))
			}
		}
	}
	all, err := db.PartnerEvents(t.Context(), nil)
	must(t, err)
	for _, e := range all {
		got = append(got, fmt.Sprint(e.Partner, e.ID))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
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
