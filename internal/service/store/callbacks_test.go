package store_test

import (
	"context"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/store"
)

func TestCallbacksAreCountedAndTurnedOff(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	f := newFixture(t, db)
	ctx := t.Context()
	if err := db.EnableCallback(ctx, f.p, false); err == nil {
		t.Error("a callback that is not there is turned off")
	}
	c := domain.Callback{Provider: f.p, URL: "https://azul.example.com/", Secret: []byte{1}, Enabled: true}
	if err := db.SetCallback(ctx, c); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		well bool
		want int
	}{{false, 1}, {false, 2}, {true, 0}, {true, 0}, {false, 1}} {
		if err := db.RecordCallbackResult(ctx, f.p, step.well); err != nil {
			t.Fatal(err)
		}
		if all, err := db.Callbacks(ctx); err != nil || all[0].Failures != step.want {
			t.Errorf("got %+v, %v, want %d failures in a row", all, err, step.want)
		}
	}
	if err := db.EnableCallback(ctx, f.p, false); err != nil {
		t.Fatal(err)
	}
	if all, err := db.Callbacks(ctx); err != nil || all[0].Enabled {
		t.Errorf("got %+v, %v, want it off", all, err)
	}
}

// What is asked of one provider leaves out the deliveries of the next.
func TestDeliveriesOfOneProvider(t *testing.T) {
	db := openNew(t, store.Options{})
	defer db.Close()
	azul, verde := newProvider(t, db, "Azul"), newProvider(t, db, "Verde")
	for _, f := range []*fixture{azul, verde} {
		first, last := f.p.Records()
		f.update(func(ctx context.Context, tx rules.Tx) error {
			return tx.Write(ctx, rules.Changes{NewJobs: []domain.Job{{ID: domain.JobID(first + 1), Kind: domain.CallbackJob, CreatedAt: time.Now()},
				{ID: domain.JobID(last), Kind: domain.CallbackJob, CreatedAt: time.Now()}}})
		})
	}
	for _, c := range []struct {
		of   domain.ProviderID
		want int
	}{{azul.p, 2}, {verde.p, 2}, {0, 4}} {
		got, err := db.Jobs(t.Context(), domain.JobFilter{Provider: c.of})
		if err != nil || len(got) != c.want || c.of != 0 && (got[0].ID.Provider() != c.of || got[1].ID.Provider() != c.of) {
			t.Errorf("of provider %d: got %+v, %v, want %d of its own", c.of, got, err, c.want)
		}
	}
}
