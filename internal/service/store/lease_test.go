package store_test

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
	"ativa/internal/service/store/pgtest"
)

// noon is the time of these tests.
var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// insertDeliveries stores n e-mails that are due at noon, unless set says otherwise.
func (f *fixture) insertDeliveries(n int, set func(n int, j *domain.Delivery)) (all []domain.Delivery) {
	f.t.Helper()
	begin, _ := f.p.Records()
	for i := range n {
		j := domain.Delivery{ID: domain.DeliveryID(begin + int64(i) + 1), Kind: domain.EmailDelivery, CreatedAt: noon, NextAt: noon}
		set(i, &j)
		all = append(all, j)
	}
	f.write(rules.Changes{NewDeliveries: all})
	return all
}

func asTheyAre(int, *domain.Delivery) {}

// claim claims up to n e-mails for a minute.
func claim(t *testing.T, db *store.DB, n int, at time.Time) []domain.Delivery {
	t.Helper()
	all, err := db.ClaimDeliveries(t.Context(), domain.Destination{Kind: domain.EmailDelivery}, n, at, at.Add(time.Minute))
	if err != nil {
		t.Error(err)
	}
	return all
}

// A killed server leaves leased deliveries behind. The next exclusive server takes them over at once.
func TestTheNextServerOfAFileTakesDeliveriesOverAtOnce(t *testing.T) {
	path := tempFile(t)
	first := open(t, path, store.Options{Exclusive: true})
	newFixture(t, first).insertDeliveries(1, asTheyAre)
	if got, again := claim(t, first, 10, noon), claim(t, first, 10, noon); len(got) != 1 || len(again) != 0 {
		t.Errorf("claimed %d deliveries and then %d, want the one once", len(got), len(again))
	}
	must(t, first.Close())
	second := open(t, path, store.Options{Exclusive: true})
	defer second.Close()
	if got := claim(t, second, 10, noon); len(got) != 1 {
		t.Errorf("the next server claimed %d deliveries, want 1", len(got))
	}
}

// Of two servers that claim at once, one gets each delivery; after its lease has ended, the other may.
func TestADeliveryIsLeasedToOneServer(t *testing.T) {
	dsn := pgtest.DSN(t)
	f, first := newDatabaseOn(t, dsn, store.Options{})
	second := open(t, dsn, store.Options{})
	defer second.Close()
	deliveries := f.insertDeliveries(300, asTheyAre)
	var servers sync.WaitGroup
	taken := make([][]domain.Delivery, 4)
	for n := range taken {
		servers.Go(func() {
			db := []*store.DB{first, second}[n%2]
			for all := claim(t, db, 20, noon); len(all) > 0; all = claim(t, db, 20, noon) {
				taken[n] = append(taken[n], all...)
			}
		})
	}
	servers.Wait()
	got := slices.SortedFunc(slices.Values(slices.Concat(taken...)), func(a, b domain.Delivery) int { return cmp.Compare(a.ID, b.ID) })
	if !slices.EqualFunc(got, deliveries, func(a, b domain.Delivery) bool { return a.ID == b.ID }) {
		t.Errorf("%d deliveries were leased, want each of %d once", len(got), len(deliveries))
	}
	if again := claim(t, second, 20, noon.Add(time.Minute)); len(again) != 20 || again[0].ID != deliveries[0].ID {
		t.Errorf("after the lease: got %d deliveries, want 20, the oldest first", len(again))
	}
}

// A server that was paused past its lease writes its outcome after another server has delivered the
// delivery. The delivery stays delivered.
func TestAnOutcomeAfterTheLeaseIsNotWritten(t *testing.T) {
	f, db := newDatabase(t)
	f.insertDeliveries(1, asTheyAre)
	held := func(j domain.Delivery) (held bool) {
		f.update(func(ctx context.Context, tx rules.Tx) error {
			all, err := tx.HeldDeliveries(ctx, []domain.Delivery{j})
			held = all[j.ID]
			return err
		})
		return held
	}
	paused := claim(t, db, 1, noon)[0]
	if !held(paused) {
		t.Error("the lease has not ended, but the delivery is not held")
	}
	other := claim(t, db, 1, noon.Add(time.Minute))[0]
	if held(paused) || !held(other) {
		t.Error("the delivery is not held by the second server alone")
	}
	other.State, other.NextAt = domain.OutboxDone, noon.Add(61*time.Second)
	must(t, db.FinishDeliveries(t.Context(), []domain.Delivery{other}, nil))
	paused.State, paused.NextAt, paused.LastError = domain.OutboxDue, noon.Add(65*time.Second), "cut"
	must(t, db.FinishDeliveries(t.Context(), []domain.Delivery{paused}, nil))
	got, err := db.Deliveries(t.Context(), domain.DeliveryFilter{})
	if err != nil || len(got) != 1 || got[0].State != domain.OutboxDone || got[0].LastError != "" {
		t.Errorf("got %+v, %v, want it done", got, err)
	}
	if held(other) {
		t.Error("a finished delivery is held")
	}
}

// A worker claims only for one destination, however many deliveries wait for others.
func TestDeliveriesAreClaimedForOneDestination(t *testing.T) {
	f, db := newDatabase(t)
	f.insertDeliveries(30, func(n int, j *domain.Delivery) {
		j.Kind, j.Destination, j.NextAt = domain.PartnerDelivery, int64(n%3), noon.Add(time.Duration(n%3)*time.Hour)
	})
	for at, want := range map[time.Duration][]int64{-time.Second: nil, 0: {0}, time.Hour: {0, 1}, 2 * time.Hour: {0, 1, 2}} {
		if got, err := db.DueDestinations(t.Context(), domain.PartnerDelivery, noon.Add(at)); err != nil || !slices.Equal(got, want) {
			t.Errorf("after %s: got %v, %v, want %v", at, got, err, want)
		}
	}
	if got, err := db.DueDestinations(t.Context(), domain.CallbackDelivery, noon.Add(time.Hour)); err != nil || len(got) != 0 {
		t.Errorf("of another kind: got %v, %v", got, err)
	}
	claimed, err := db.ClaimDeliveries(t.Context(), domain.Destination{Kind: domain.PartnerDelivery, ID: 1}, 20, noon.Add(2*time.Hour), noon.Add(3*time.Hour))
	if err != nil || len(claimed) != 10 || slices.ContainsFunc(claimed, func(j domain.Delivery) bool { return j.Destination != 1 }) {
		t.Errorf("got %d deliveries, %v, want the ten of the destination", len(claimed), err)
	}
}

// Urgent deliveries are claimed first, oldest first, then the others.
func TestUrgentDeliveriesAreClaimedFirst(t *testing.T) {
	f, db := newDatabase(t)
	f.insertDeliveries(3000, func(n int, j *domain.Delivery) {
		j.CreatedAt = noon.Add(-time.Duration(n) * time.Second)
		j.NextAt, j.Urgent = j.CreatedAt, n%600 == 0
	})
	var got []int64
	begin, _ := f.p.Records()
	for range 4 {
		for _, j := range claim(t, db, 3, noon) {
			got = append(got, int64(j.ID)-begin-1)
			if j.Urgent != (len(got) <= 5) {
				t.Errorf("claim %d: urgent is %t", len(got), j.Urgent)
			}
		}
	}
	if want := []int64{2400, 1800, 1200, 600, 0, 2999, 2998, 2997, 2996, 2995, 2994, 2993}; !slices.Equal(got, want) {
		t.Errorf("claimed %v, want %v", got, want)
	}
	f.wantPlan("urgent deliveries", 3, "delivery_urgent", func() error { claim(t, db, 3, noon); return nil })
}
