package store_test

import (
	"testing"

	"ativa/internal/service/domain"
)

func TestASuccessResetsTheFailuresOfACallback(t *testing.T) {
	f, db := newDatabase(t)
	must(t, db.SetCallback(t.Context(), domain.Callback{Provider: f.p, URL: "https://azul.example.com/", Secret: []byte{1}, Enabled: true}))
	for _, succeeded := range []bool{false, true} {
		must(t, db.RecordCallbackResult(t.Context(), f.p, succeeded))
		if all, err := db.Callbacks(t.Context()); err != nil || all[0].Failures == 0 != succeeded {
			t.Errorf("got %+v, %v after a call that succeeded: %t", all, err, succeeded)
		}
	}
}

func TestOnlyTheDeliveriesOfAProviderAreListed(t *testing.T) {
	azul, db := newDatabase(t)
	verde := newProvider(t, db, "Verde")
	for _, f := range []*fixture{azul, verde} {
		_, last := f.p.Records()
		f.insertDeliveries(2, func(n int, j *domain.Delivery) {
			if n == 1 {
				j.ID = domain.DeliveryID(last)
			}
		})
	}
	for of, want := range map[domain.ProviderID]int{azul.p: 2, verde.p: 2, 0: 4} {
		got, err := db.Deliveries(t.Context(), domain.DeliveryFilter{Provider: of})
		if err != nil || len(got) != want || of != 0 && (got[0].ID.Provider() != of || got[1].ID.Provider() != of) {
			t.Errorf("of provider %d: got %+v, %v, want %d of its own", of, got, err, want)
		}
	}
}
