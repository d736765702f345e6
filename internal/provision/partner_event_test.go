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
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	op := w.service(1, playBasic).Operation
	for name, c := range map[string]provision.Confirmation{
		"unknown operation": {Operation: op + 1000, Confirmed: true},
		"unknown provider":  {Operation: 77, Confirmed: true},
		"another partner":   {Operation: op, Partner: w.partner.ID + 1, Confirmed: true},
		"another kind":      {Operation: op, Kind: "cancellation", Confirmed: true},
	} {
		states, err := w.m.Confirm(w.ctx, []provision.Confirmation{c})
		w.must(err)
		if states[0] != provision.PartnerEventUnmatched {
			t.Errorf("%s: got %d, want unmatched", name, states[0])
		}
	}
	w.wantStatus(1, playBasic, provision.WaitingSuspension)
}

func TestAReportIsStoredOnceAndParkedWhenUnknown(t *testing.T) {
	w := newWorld(t, 10)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	r := provision.PartnerEvent{Partner: w.partner.ID, ID: "msg_1", Operation: w.service(1, playBasic).Operation, Kind: "suspension", Confirmed: true}
	for _, want := range []bool{false, true} {
		if duplicate, err := w.m.Receive(w.ctx, r); err != nil || duplicate != want {
			t.Fatalf("got duplicate %v, %v, want %v", duplicate, err, want)
		}
	}
	w.wantStatus(1, playBasic, provision.Suspended)
	r.ID, r.Operation = "msg_2", r.Operation+1
	_, err := w.m.Receive(w.ctx, r)
	w.must(err)
	parked, err := w.store.PartnerEvents(w.ctx, []provision.PartnerEventState{provision.PartnerEventUnmatched}, 10)
	if err != nil || len(parked) != 1 || parked[0].ID != "msg_2" {
		t.Fatalf("parked: got %+v, %v, want msg_2", parked, err)
	}
	w.do(provision.RequestDeactivate, playBasic, 1) // takes the operation id that was unknown
	r.Kind = "cancellation"
	if n, err := w.m.ReplayPartnerEvents(w.ctx); err != nil || n != 0 {
		t.Errorf("replay of another kind: got %d, %v, want 0", n, err)
	}
}

// suspending is a partner's confirmation that nobody has received yet.
func (w *world) suspending(n int, id string) provision.PartnerEvent {
	w.t.Helper()
	w.active(n, playBasic)
	w.do(provision.RequestSuspend, playBasic, n)
	return provision.PartnerEvent{Partner: w.partner.ID, ID: id, Operation: w.service(n, playBasic).Operation, Kind: "suspension", Confirmed: true}
}

// wantStates checks what became of the stored reports, by id.
func (w *world) wantStates(t *testing.T, want map[string]provision.PartnerEventState) {
	t.Helper()
	all, err := w.store.PartnerEvents(w.ctx, nil, 0)
	w.must(err)
	for _, r := range all {
		if r.State != want[r.ID] {
			t.Errorf("%s: got %s, want %s", r.ID, r.State, want[r.ID])
		}
	}
	if len(all) != len(want) {
		t.Errorf("got %d reports, want %d", len(all), len(want))
	}
}

// interrupted is a store in which something happens right after a report is stored.
type interrupted struct {
	provision.Store
	then func()
}

func (s interrupted) AddPartnerEvent(ctx context.Context, r provision.PartnerEvent) (bool, error) {
	added, err := s.Store.AddPartnerEvent(ctx, r)
	s.then()
	return added, err
}

// The worker that comes upon a report before the request that stored it has
// applied it settles it, once.
func TestAReportThatAnotherAppliedFirstStaysApplied(t *testing.T) {
	w := newWorld(t, 10)
	r, unknown := w.suspending(1, "msg_1"), provision.PartnerEvent{Partner: w.partner.ID, ID: "msg_2", Operation: 77, Kind: "suspension"}
	m := provision.NewManager(interrupted{w.store, func() {
		_, err := w.m.ApplyPartnerEvents(w.ctx)
		w.must(err)
	}}, w.options)
	for _, r := range []provision.PartnerEvent{r, unknown} {
		if duplicate, err := m.Receive(w.ctx, r); err != nil || duplicate {
			t.Fatalf("got duplicate %t, %v", duplicate, err)
		}
	}
	w.wantStatus(1, playBasic, provision.Suspended)
	w.wantStates(t, map[string]provision.PartnerEventState{"msg_1": provision.PartnerEventApplied, "msg_2": provision.PartnerEventUnmatched})
}

func TestReceivingBesideTheWorkerLosesNoReport(t *testing.T) {
	const n = 20
	w := newWorld(t, 100)
	want := map[string]provision.PartnerEventState{}
	var all []provision.PartnerEvent
	for i := range n {
		r := w.suspending(i+1, fmt.Sprint("msg_", i))
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
			if _, err := w.m.ApplyPartnerEvents(w.ctx); err != nil {
				t.Error(err)
			}
		}
	})
	for _, r := range all {
		receivers.Go(func() {
			if _, err := w.m.Receive(w.ctx, r); err != nil {
				t.Error(err)
			}
		})
	}
	receivers.Wait()
	close(received)
	worker.Wait()
	w.wantStates(t, want)
	w.check(t)
}

// broken is a store that cannot write for one provider.
type broken struct {
	provision.Store
	provider provision.ProviderID
}

func (s broken) Update(ctx context.Context, p provision.ProviderID, fn func(context.Context, provision.Tx) error) error {
	if p == s.provider {
		return errors.New("the provider's rows are damaged")
	}
	return s.Store.Update(ctx, p, fn)
}

func TestReportsThatFailKeepNoOtherWaiting(t *testing.T) {
	w := newWorld(t, 10)
	other, _, err := w.m.CreateProvider(w.ctx, provision.Provider{Name: "Outro", Limit: 1, AllProducts: true})
	w.must(err)
	first, _ := other.ID.Records()
	want := map[string]provision.PartnerEventState{}
	add := func(r provision.PartnerEvent, state provision.PartnerEventState) {
		r.ReceivedAt, want[r.ID] = w.now, state
		_, err := w.store.AddPartnerEvent(w.ctx, r)
		w.must(err)
	}
	for i := range 250 {
		add(provision.PartnerEvent{Partner: w.partner.ID, ID: fmt.Sprintf("bad_%03d", i), Operation: provision.OperationID(first + int64(i) + 1), Kind: "suspension"}, provision.PartnerEventStored)
	}
	add(w.suspending(1, "good_1"), provision.PartnerEventApplied)
	m := provision.NewManager(broken{w.store, other.ID}, w.options)
	applied := 0
	for range 3 { // every round looks at the next 100
		n, err := m.ApplyPartnerEvents(w.ctx)
		if err == nil {
			t.Error("got no error, want those of the reports that fail")
		}
		applied += n
	}
	if applied != 1 {
		t.Errorf("got %d applied, want the one that does not fail", applied)
	}
	w.wantStates(t, want)

	add(w.suspending(2, "aaa_2"), provision.PartnerEventApplied) // stored while the worker is elsewhere
	for range 4 {
		_, _ = m.ApplyPartnerEvents(w.ctx)
	}
	w.wantStates(t, want)
}

// One that fails is no reason to stop: the next of the same round is applied.
func TestOneReportThatFailsDoesNotEndTheRound(t *testing.T) {
	w := newWorld(t, 10)
	other, _, err := w.m.CreateProvider(w.ctx, provision.Provider{Name: "Outro", Limit: 1, AllProducts: true})
	w.must(err)
	first, _ := other.ID.Records()
	bad, good := provision.PartnerEvent{Partner: w.partner.ID, ID: "a", Operation: provision.OperationID(first + 1), Kind: "suspension"}, w.suspending(1, "b")
	for _, r := range []provision.PartnerEvent{bad, good} {
		r.ReceivedAt = w.now
		_, err := w.store.AddPartnerEvent(w.ctx, r)
		w.must(err)
	}
	if n, err := provision.NewManager(broken{w.store, other.ID}, w.options).ApplyPartnerEvents(w.ctx); n != 1 || err == nil {
		t.Errorf("got %d applied, %v, want one and the error of the other", n, err)
	}
	w.wantStates(t, map[string]provision.PartnerEventState{"a": provision.PartnerEventStored, "b": provision.PartnerEventApplied})
}

// A report's state commits with its effect: when the one fails, so does the other.
func TestAReportAndItsEffectAreOneTransaction(t *testing.T) {
	w := newWorld(t, 10)
	r := w.suspending(1, "msg_1")
	m := provision.NewManager(failing{w.store}, w.options)
	if duplicate, err := m.Receive(w.ctx, r); err != nil || duplicate {
		t.Fatalf("got duplicate %t, %v, want it accepted: it is stored", duplicate, err)
	}
	w.wantStatus(1, playBasic, provision.WaitingSuspension)
	w.wantStates(t, map[string]provision.PartnerEventState{"msg_1": provision.PartnerEventStored})
	if n, err := w.m.ApplyPartnerEvents(w.ctx); n != 1 || err != nil {
		t.Fatalf("got %d applied, %v, want 1", n, err)
	}
	w.wantStatus(1, playBasic, provision.Suspended)
	w.wantStates(t, map[string]provision.PartnerEventState{"msg_1": provision.PartnerEventApplied})
}

// failing is a store that cannot write what became of a report.
type failing struct{ provision.Store }

type failingTx struct{ provision.Tx }

var errFull = errors.New("the disk is full")

func (failingTx) SetPartnerEventState(context.Context, provision.PartnerEvent, provision.PartnerEventState) (bool, error) {
	return false, errFull
}

func (failing) SetPartnerEventState(context.Context, provision.PartnerEvent, provision.PartnerEventState) (bool, error) {
	return false, errFull
}

func (s failing) Update(ctx context.Context, p provision.ProviderID, fn func(context.Context, provision.Tx) error) error {
	return s.Store.Update(ctx, p, func(ctx context.Context, tx provision.Tx) error { return fn(ctx, failingTx{tx}) })
}
