package provision_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"ativa/internal/provision"
)

func TestConfirmationsOfUnknownOperationsAreUnmatched(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(provision.RequestSuspend, playBasic, 1)
	op := fx.service(1, playBasic).Operation
	for name, c := range map[string]provision.Confirmation{
		"unknown operation": {Operation: op + 1000, Confirmed: true},
		"unknown provider":  {Operation: 77, Confirmed: true},
		"another partner":   {Operation: op, Partner: fx.partner.ID + 1, Confirmed: true},
		"another kind":      {Operation: op, Kind: "cancellation", Confirmed: true},
	} {
		states, err := fx.m.Confirm(fx.ctx, []provision.Confirmation{c})
		fx.must(err)
		if states[0] != provision.PartnerEventUnmatched {
			t.Errorf("%s: got %d, want unmatched", name, states[0])
		}
	}
	fx.wantStatus(1, playBasic, provision.WaitingSuspension)
}

func TestAPartnerEventIsStoredOnceAndUnmatchedWhenUnknown(t *testing.T) {
	fx := newFixture(t, 10)
	fx.active(1, playBasic)
	fx.do(provision.RequestSuspend, playBasic, 1)
	r := provision.PartnerEvent{Partner: fx.partner.ID, ID: "msg_1", Operation: fx.service(1, playBasic).Operation, Kind: "suspension", Confirmed: true}
	for _, want := range []bool{false, true} {
		if duplicate, err := fx.m.ReceivePartnerEvent(fx.ctx, r); err != nil || duplicate != want {
			t.Fatalf("got duplicate %v, %v, want %v", duplicate, err, want)
		}
	}
	fx.wantStatus(1, playBasic, provision.Suspended)
	r.ID, r.Operation = "msg_2", r.Operation+1
	_, err := fx.m.ReceivePartnerEvent(fx.ctx, r)
	fx.must(err)
	parked, err := fx.store.PartnerEvents(fx.ctx, []provision.PartnerEventState{provision.PartnerEventUnmatched})
	if err != nil || len(parked) != 1 || parked[0].ID != "msg_2" {
		t.Fatalf("parked: got %+v, %v, want msg_2", parked, err)
	}
	fx.do(provision.RequestDeactivate, playBasic, 1) // takes the operation id that was unknown
	r.Kind = "cancellation"
	if n, err := fx.m.ReplayPartnerEvents(fx.ctx); err != nil || n != 0 {
		t.Errorf("replay of another kind: got %d, %v, want 0", n, err)
	}
}

// suspending is a partner's confirmation that nobody has received yet.
func (fx *fixture) suspending(n int, id string) provision.PartnerEvent {
	fx.t.Helper()
	fx.active(n, playBasic)
	fx.do(provision.RequestSuspend, playBasic, n)
	return provision.PartnerEvent{Partner: fx.partner.ID, ID: id, Operation: fx.service(n, playBasic).Operation, Kind: "suspension", Confirmed: true}
}

// wantStates checks what became of the stored partner events, by id.
func (fx *fixture) wantStates(t *testing.T, want map[string]provision.PartnerEventState) {
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

// hookedStore is a store that calls then right after a partner event is stored.
type hookedStore struct {
	provision.Store
	then func()
}

func (s hookedStore) AddPartnerEvent(ctx context.Context, r provision.PartnerEvent) (bool, error) {
	added, err := s.Store.AddPartnerEvent(ctx, r)
	s.then()
	return added, err
}

// The worker that comes upon a partner event before the request that stored it has
// applied it settles it, once.
func TestAPartnerEventThatAnotherAppliedFirstStaysApplied(t *testing.T) {
	fx := newFixture(t, 10)
	r, unknown := fx.suspending(1, "msg_1"), provision.PartnerEvent{Partner: fx.partner.ID, ID: "msg_2", Operation: 77, Kind: "suspension"}
	m := provision.NewManager(hookedStore{fx.store, func() {
		_, err := fx.m.ApplyPartnerEvents(fx.ctx)
		fx.must(err)
	}}, fx.options)
	for _, r := range []provision.PartnerEvent{r, unknown} {
		if duplicate, err := m.ReceivePartnerEvent(fx.ctx, r); err != nil || duplicate {
			t.Fatalf("got duplicate %t, %v", duplicate, err)
		}
	}
	fx.wantStatus(1, playBasic, provision.Suspended)
	fx.wantStates(t, map[string]provision.PartnerEventState{"msg_1": provision.PartnerEventApplied, "msg_2": provision.PartnerEventUnmatched})
}

func TestReceivingBesideTheWorkerLosesNoPartnerEvent(t *testing.T) {
	const n = 20
	fx := newFixture(t, 100)
	want := map[string]provision.PartnerEventState{}
	var all []provision.PartnerEvent
	for i := range n {
		r := fx.suspending(i+1, fmt.Sprint("msg_", i))
		all, want[r.ID] = append(all, r), provision.PartnerEventApplied
	}
	var receivers, worker sync.WaitGroup
	received := make(chan struct{})
	worker.Go(func() {
		for {
			select {
			case <-received:
				return
			default:
			}
			if _, err := fx.m.ApplyPartnerEvents(fx.ctx); err != nil {
				t.Error(err)
			}
		}
	})
	for _, r := range all {
		receivers.Go(func() {
			if _, err := fx.m.ReceivePartnerEvent(fx.ctx, r); err != nil {
				t.Error(err)
			}
		})
	}
	receivers.Wait()
	close(received)
	worker.Wait()
	fx.wantStates(t, want)
	fx.check(t)
}

// brokenStore is a store that cannot write for one provider.
type brokenStore struct {
	provision.Store
	provider provision.ProviderID
}

func (s brokenStore) Update(ctx context.Context, p provision.ProviderID, fn func(context.Context, provision.Tx) error) error {
	if p == s.provider {
		return errors.New("the provider's rows are damaged")
	}
	return s.Store.Update(ctx, p, fn)
}

func TestPartnerEventsThatFailDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	fx := newFixture(t, 10)
	other, _, err := fx.m.CreateProvider(fx.ctx, provision.Provider{Name: "Outro", Limit: 1, AllProducts: true})
	fx.must(err)
	first, _ := other.ID.Records()
	want := map[string]provision.PartnerEventState{}
	add := func(r provision.PartnerEvent, state provision.PartnerEventState) {
		r.ReceivedAt, want[r.ID] = fx.now, state
		_, err := fx.store.AddPartnerEvent(fx.ctx, r)
		fx.must(err)
	}
	for i := range 250 {
		add(provision.PartnerEvent{Partner: fx.partner.ID, ID: fmt.Sprintf("bad_%03d", i), Operation: provision.OperationID(first + int64(i) + 1), Kind: "suspension"}, provision.PartnerEventStored)
	}
	add(fx.suspending(1, "good_1"), provision.PartnerEventApplied)
	m := provision.NewManager(brokenStore{fx.store, other.ID}, fx.options)
	applied := 0
	for range 3 { // every round looks at the next 100
		n, err := m.ApplyPartnerEvents(fx.ctx)
		if err == nil {
			t.Error("got no error, want those of the partner events that fail")
		}
		applied += n
	}
	if applied != 1 {
		t.Errorf("got %d applied, want the one that does not fail", applied)
	}
	fx.wantStates(t, want)

	add(fx.suspending(2, "aaa_2"), provision.PartnerEventApplied) // stored while the worker is elsewhere
	for range 4 {
		_, _ = m.ApplyPartnerEvents(fx.ctx)
	}
	fx.wantStates(t, want)
}

// One that fails is no reason to stop: the next of the same round is applied.
func TestOnePartnerEventThatFailsDoesNotEndTheRound(t *testing.T) {
	fx := newFixture(t, 10)
	other, _, err := fx.m.CreateProvider(fx.ctx, provision.Provider{Name: "Outro", Limit: 1, AllProducts: true})
	fx.must(err)
	first, _ := other.ID.Records()
	bad, good := provision.PartnerEvent{Partner: fx.partner.ID, ID: "a", Operation: provision.OperationID(first + 1), Kind: "suspension"}, fx.suspending(1, "b")
	for _, r := range []provision.PartnerEvent{bad, good} {
		r.ReceivedAt = fx.now
		_, err := fx.store.AddPartnerEvent(fx.ctx, r)
		fx.must(err)
	}
	if n, err := provision.NewManager(brokenStore{fx.store, other.ID}, fx.options).ApplyPartnerEvents(fx.ctx); n != 1 || err == nil {
		t.Errorf("got %d applied, %v, want one and the error of the other", n, err)
	}
	fx.wantStates(t, map[string]provision.PartnerEventState{"a": provision.PartnerEventStored, "b": provision.PartnerEventApplied})
}

// A partner event's state commits with its effect: when the one fails, so does the other.
func TestAPartnerEventAndItsEffectAreOneTransaction(t *testing.T) {
	fx := newFixture(t, 10)
	r := fx.suspending(1, "msg_1")
	m := provision.NewManager(eventFailingStore{fx.store}, fx.options)
	if duplicate, err := m.ReceivePartnerEvent(fx.ctx, r); err != nil || duplicate {
		t.Fatalf("got duplicate %t, %v, want it accepted: it is stored", duplicate, err)
	}
	fx.wantStatus(1, playBasic, provision.WaitingSuspension)
	fx.wantStates(t, map[string]provision.PartnerEventState{"msg_1": provision.PartnerEventStored})
	if n, err := fx.m.ApplyPartnerEvents(fx.ctx); n != 1 || err != nil {
		t.Fatalf("got %d applied, %v, want 1", n, err)
	}
	fx.wantStatus(1, playBasic, provision.Suspended)
	fx.wantStates(t, map[string]provision.PartnerEventState{"msg_1": provision.PartnerEventApplied})
}

// eventFailingStore is a store that cannot write the state of a partner event.
type eventFailingStore struct{ provision.Store }

type eventFailingTx struct{ provision.Tx }

var errFull = errors.New("the disk is full")

func (eventFailingTx) SetPartnerEventState(context.Context, provision.PartnerEvent, provision.PartnerEventState) (bool, error) {
	return false, errFull
}

func (eventFailingStore) SetPartnerEventState(context.Context, provision.PartnerEvent, provision.PartnerEventState) (bool, error) {
	return false, errFull
}

func (s eventFailingStore) Update(ctx context.Context, p provision.ProviderID, fn func(context.Context, provision.Tx) error) error {
	return s.Store.Update(ctx, p, func(ctx context.Context, tx provision.Tx) error { return fn(ctx, eventFailingTx{tx}) })
}
