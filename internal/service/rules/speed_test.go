package rules_test

import (
	"math"
	"slices"
	"testing"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store"
)

// A running server accepts an added speed at once in every write; the other 38 stay.
func TestAnInternetSpeedIsAddedWhileServersRun(t *testing.T) {
	fx := newFixture(t, 10)
	before, err := fx.m.InternetSpeeds(fx.ctx)
	fx.must(err)
	if len(before) != 38 || before[9].Speed != "100 Mbps" || before[37].ID != domain.SpeedNotInformed {
		t.Fatalf("got %v, want the 38 of the API", before)
	}
	f := fields(1)
	f.SpeedID = domain.Some(100)
	_, err = fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
	wantCode(t, err, domain.UnknownInternetSpeed)

	operator, err := store.Open(fx.ctx, fx.dsn, store.Options{})
	fx.must(err)
	defer operator.Close()
	other := servicetest.New(operator, fx.options)
	added, err := other.AddInternetSpeed(fx.ctx, 100, "2,5 Gbps")
	fx.must(err)
	after, err := fx.m.InternetSpeeds(fx.ctx)
	fx.must(err)
	if !slices.Equal(after, append(before, added)) {
		t.Errorf("got %v, want the 38 as they were and the new one", after)
	}
	created, err := fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
	fx.must(err)
	imported := row(2, playBasic)
	imported.SpeedID = domain.Some(100)
	results, err := fx.m.Import(fx.ctx, fx.call(), []rules.Registration{imported})
	fx.must(err)
	if created.SpeedID != 100 || results[0].Kind != rules.ResultCreated {
		t.Errorf("got speed %d and %+v, want the new speed in both", created.SpeedID, results[0])
	}
}

// An accepted id works on both databases and in reports.
func TestIDsOfOperatorsHave32Bits(t *testing.T) {
	fx := newFixture(t, 10)
	for _, id := range []int{-1, 0, math.MaxInt32 + 1} {
		wantCode(t, fx.m.CreateProduct(fx.ctx, domain.Product{ID: id, Name: "Play", Code: "play"}), domain.ValidationFailed)
		_, err := fx.m.AddInternetSpeed(fx.ctx, id, "9 Gbps")
		wantCode(t, err, domain.ValidationFailed)
	}
	fx.sell(domain.Product{ID: math.MaxInt32, Name: "Play", Code: "play"})
	fx.must(fx.m.Grant(fx.ctx, fx.p.Name, []int{math.MaxInt32}, true))
	_, err := fx.m.AddInternetSpeed(fx.ctx, math.MaxInt32, "9 Gbps")
	fx.must(err)
	f := fields(1)
	f.SpeedID = domain.Some(math.MaxInt32)
	_, err = fx.m.CreateSubscriber(fx.ctx, fx.call(), f)
	fx.must(err)
	fx.do(domain.RequestActivate, math.MaxInt32, 1)
}
