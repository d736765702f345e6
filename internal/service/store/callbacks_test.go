package store_test

import (
	"testing"

	"ativa/internal/service/domain"
)

func TestCallbacksAreCountedAndTurnedOff(t *testing.T) {
	f, db := newDatabase(t)
	ctx := t.Context()
	c := domain.Callback{Provider: f.p, URL: "https://azul.example.com/", Secret: []byte{1}, Enabled: true}
	must(t, db.SetCallback(ctx, c))
	for _, step := range []struct {
		well bool
		want int
	}{{false, 1}, {false, 2}, {true, 0}, {true, 0}, {false, 1}} {
		must(t, db.RecordCallbackResult(ctx, f.p, step.well))
		if all, err := db.Callbacks(ctx); err != nil || all[0].Failures != step.want {
			t.Errorf("got %+v, %v, want %d failures in a row", all, err, step.want)
		}
	}
	must(t, db.EnableCallback(ctx, f.p, false))
	if all, err := db.Callbacks(ctx); err != nil || all[0].Enabled {
		t.Errorf("got %+v, %v, want it off", all, err)
	}
}

// Failures of one provider's callback do not count for another.
func TestDeliveriesOfOneProvider(t *testing.T) {
	azul, db := newDatabase(t)
	verde := newProvider(t, db, "Verde")
	for _, f := range []*fixture{azul, verde} {
		_, last := f.p.Records()
		f.insertJobs(2, func(n int, j *domain.Job) {
			if n == 1 {
				j.ID = domain.JobID(last)
			}
		})
	}
	for of, want := range map[domain.ProviderID]int{azul.p: 2, verde.p: 2, 0: 4} {
		got, err := db.Jobs(t.Context(), domain.JobFilter{Provider: of})
		if err != nil || len(got) != want || of != 0 && (got[0].ID.Provider() != of || got[1].ID.Provider() != of) {
			t.Errorf("of provider %d: got %+v, %v, want %d of its own", of, got, err, want)
		}
	}
}
