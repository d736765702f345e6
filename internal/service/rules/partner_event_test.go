package rules_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ativa/internal/service/domain"
	"ativa/internal/service/servicetest"
	"ativa/internal/service/store/pgtest"
)

func TestConfirmationsOfUnknownOperationsAreUnmatched(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(domain.RequestSuspend, playBasic, 1)
	op := fx.service(1, playBasic).Operation
	for name, c := range map[string]domain.Confirmation{
		"unknown operation": {Operation: op + 1000, Confirmed: true},
		"unknown provider":  {Operation: 77, Confirmed: true},
		"another partner":   {Operation: op, Partner: fx.partner.ID + 1, Confirmed: true},
		"another kind":      {Operation: op, Kind: "cancellation", Confirmed: true},
	} {
		states, err := fx.m.Confirm(fx.ctx, []domain.Confirmation{c})
		fx.must(err)
		if states[0] != domain.PartnerEventUnmatched {
			t.Errorf("%s: got %d, want unmatched", name, states[0])
		}
	}
	fx.wantStatus(1, playBasic, domain.WaitingSuspension)
}

// suspending returns a confirmation that was not sent yet.
func (fx *fixture) suspending(n int, id string) domain.PartnerEvent {
	fx.t.Helper()
	fx.active(n, playBasic)
	fx.do(domain.RequestSuspend, playBasic, n)
	return domain.PartnerEvent{Partner: fx.partner.ID, ID: id, Operation: fx.service(n, playBasic).Operation, Kind: "suspension", Confirmed: true}
}

// wantStates checks the states of the stored partner events, by id.
func (fx *fixture) wantStates(t *testing.T, want map[string]domain.PartnerEventState) {
	t.Helper()
	all, err := fx.store.PartnerEvents(fx.ctx, nil)
	fx.must(err)
	for _, r := range all {
		if r.State != want[r.ID] {
			t.Errorf("%s: got %s, want %s", r.ID, r.State, want[r.ID])
		}
	}
	if len(all) != len(want) {
		t.Errorf("got %d partner events, want %d", len(all), len(want))
	}
}

// An event that a partner sends twice at once is applied once.
func TestPartnerEventsThatComeAtOnceAreAppliedOnce(t *testing.T) {
	const n = 20
	fx := newFixture(t, 100)
	want := map[string]domain.PartnerEventState{}
	var all []domain.PartnerEvent
	for i := range n {
		r := fx.suspending(i+1, fmt.Sprint("msg_", i))
		all, want[r.ID] = append(all, r, r), domain.PartnerEventApplied
	}
	var receivers sync.WaitGroup
	var duplicates atomic.Int64
	for _, r := range all {
		receivers.Go(func() {
			duplicate, err := fx.m.ReceivePartnerEvent(fx.ctx, r)
			if err != nil {
				t.Error(err)
			}
			if duplicate {
				duplicates.Add(1)
			}
		})
	}
	receivers.Wait()
	if got := duplicates.Load(); got != n {
		t.Errorf("got %d duplicates, want %d", got, n)
	}
	fx.wantStates(t, want)
	fx.check(t)
}

// An event and its effect are one transaction: whatever statement fails, nothing is applied, and the repetition is no
// duplicate.
func TestAPartnerEventAndItsEffectAreOneTransaction(t *testing.T) {
	pgtest.Only(t, "sqlite", "there several statements go out together")
	fx := newFixture(t, 10)
	r := fx.suspending(1, "msg_1")
	m := servicetest.New(passingStore{fx.store}, fx.options)
	pgtest.FailEach(t, "ReceivePartnerEvent", func(ctx context.Context) error { return errorOf(m.ReceivePartnerEvent(ctx, r)) })
	fx.wantStatus(1, playBasic, domain.Suspended)
	fx.wantStates(t, map[string]domain.PartnerEventState{"msg_1": domain.PartnerEventApplied})
}

// An event of an operation that no provider has is parked once.
func TestAPartnerEventOfNoProviderIsParked(t *testing.T) {
	fx := newFixture(t, 10)
	r := domain.PartnerEvent{Partner: fx.partner.ID, ID: "msg_1", Operation: 77, Kind: "suspension"}
	for _, want := range []bool{false, true} {
		if duplicate, err := fx.m.ReceivePartnerEvent(fx.ctx, r); err != nil || duplicate != want {
			t.Fatalf("got duplicate %t, %v, want %t", duplicate, err, want)
		}
	}
	if n, err := fx.m.ReplayPartnerEvents(fx.ctx); err != nil || n != 0 {
		t.Errorf("replay: got %d, %v, want 0", n, err)
	}
	fx.wantStates(t, map[string]domain.PartnerEventState{"msg_1": domain.PartnerEventUnmatched})
}

// An event that cannot be applied does not hold up the events of other providers.
func TestReplayGoesOnAfterAnEventThatFails(t *testing.T) {
	fx := newFixture(t, 10)
	other, _, err := fx.m.CreateProvider(fx.ctx, domain.Provider{Name: "Outro", Limit: 10, AllProducts: true})
	fx.must(err)
	broken := fx.p.ID
	for _, p := range []domain.Provider{fx.p, other} {
		fx.p, fx.now = p, fx.now.Add(time.Second)
		fx.active(1, playBasic)
		early := domain.PartnerEvent{Partner: fx.partner.ID, ID: "msg_" + p.Name, Operation: fx.service(1, playBasic).Operation + 1, Kind: "suspension", Confirmed: true}
		fx.must(errorOf(fx.m.ReceivePartnerEvent(fx.ctx, early)))
		fx.do(domain.RequestSuspend, playBasic, 1)
	}
	n, err := servicetest.New(brokenStore{fx.store, broken}, fx.options).ReplayPartnerEvents(fx.ctx)
	if n != 1 || err == nil {
		t.Errorf("got %d, %v, want the event of the other provider applied and an error", n, err)
	}
	fx.wantStatus(1, playBasic, domain.Suspended)
}
