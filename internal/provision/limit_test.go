package provision_test

import (
	"context"
	"errors"
	"testing"

	"ativa/internal/provision"
)

func TestActivationsBeyondTheLimitQueueInOrder(t *testing.T) {
	w := newWorld(t, 2)
	results := w.register(1, 5, playBasic)
	for i, want := range []int{0, 0, 1, 2, 3} {
		if got := results[i].Services[0].QueuePosition; got != want {
			t.Errorf("row %d: got queue position %d, want %d", i, got, want)
		}
	}
	if got := w.provider(); got.Counted != 2 || got.Queued != 3 {
		t.Fatalf("got %d counted and %d queued, want 2 and 3", got.Counted, got.Queued)
	}
	if r := w.do(provision.RequestActivate, playBasic, 4); r.Kind != provision.ResultUnchanged || r.QueuePosition != 2 {
		t.Errorf("activate a queued one: got %+v, want unchanged at 2", r)
	}
	w.do(provision.RequestDeactivate, playBasic, 3)
	w.wantStatus(3, playBasic, provision.CanceledWithoutActivation)
	w.do(provision.RequestDeactivate, playBasic, 1) // frees a slot: it was never enabled
	w.wantStatus(4, playBasic, provision.InProgress)
	w.wantStatus(5, playBasic, provision.LimitReached)
	if r := w.do(provision.RequestActivate, playBasic, 3); r.Status != provision.LimitReached || r.QueuePosition != 2 {
		t.Errorf("a new activation: got %+v, want queued behind subscriber 5", r)
	}
}

func TestRaisingTheLimitStartsTheQueue(t *testing.T) {
	w := newWorld(t, 0)
	w.register(1, 2500, playBasic)
	w.woken.Store(0)
	p, err := w.m.SetLimit(w.ctx, w.p.Name, 2400)
	w.must(err)
	if p.Counted != 2400 || p.Queued != 100 {
		t.Errorf("got %d counted and %d queued, want 2,400 and 100", p.Counted, p.Queued)
	}
	if w.woken.Load() == 0 {
		t.Error("nobody was woken to send the e-mails")
	}
	w.wantStatus(2400, playBasic, provision.InProgress)
	w.wantStatus(2401, playBasic, provision.LimitReached)
}

func TestLoweringTheLimitStopsNobody(t *testing.T) {
	w := newWorld(t, 3)
	w.register(1, 3, playBasic)
	_, err := w.m.SetLimit(w.ctx, w.p.Name, 1)
	w.must(err)
	w.wantStatus(3, playBasic, provision.InProgress)
	if r := w.register(4, 4, playBasic); r[0].Services[0].Status != provision.LimitReached {
		t.Errorf("got %+v, want limitReached", r[0])
	}
	w.do(provision.RequestDeactivate, playBasic, 1)
	w.wantStatus(4, playBasic, provision.LimitReached) // two are still above the new limit
}

func TestASuspendedServiceFreesItsSlotAndMayComeBackAboveTheLimit(t *testing.T) {
	w := newWorld(t, 1)
	w.active(1, playBasic)
	w.register(2, 2, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	w.wantStatus(2, playBasic, provision.LimitReached) // still enabled at the partner
	w.confirm(1, playBasic, true)
	w.wantStatus(2, playBasic, provision.InProgress)
	w.do(provision.RequestActivate, playBasic, 1)
	w.wantStatus(1, playBasic, provision.Reactivated) // the limit gates activations only
	if got := w.provider().Counted; got != 2 {
		t.Errorf("got %d counted, want 2", got)
	}
}

func TestAFailedSuspensionKeepsItsSlotAndAFailedActivationDoesNot(t *testing.T) {
	w := newWorld(t, 2)
	w.active(1, playBasic)
	w.do(provision.RequestSuspend, playBasic, 1)
	w.confirm(1, playBasic, false)
	w.register(2, 2, playBasic)
	w.confirm(2, playBasic, false)
	if got := w.provider().Counted; got != 1 {
		t.Errorf("got %d counted, want 1", got)
	}
}

// sick is a store whose writes fail for one provider.
type sick struct {
	provision.Store
	provider provision.ProviderID
}

func (s sick) Update(ctx context.Context, p provision.ProviderID, fn func(context.Context, provision.Tx) error) error {
	if p == s.provider {
		return errors.New("the page is damaged")
	}
	return s.Store.Update(ctx, p, fn)
}

// What another process made room for is started by the worker: of every
// provider, also behind one whose turn fails, and also when a counter tells of
// a queue that is not there, which must not keep the worker busy.
func TestTheWorkerStartsWhatHasRoom(t *testing.T) {
	w := newWorld(t, 0)
	other, _, err := w.m.CreateProvider(w.ctx, provision.Provider{Name: "Outro", Limit: 10})
	w.must(err)
	w.register(1, 1500, playBasic)
	change := func(p provision.ProviderID, change func(*provision.Provider)) {
		w.must(w.store.Update(w.ctx, p, func(ctx context.Context, tx provision.Tx) error {
			provider := tx.Provider()
			change(&provider)
			return tx.SaveProvider(ctx, provider)
		}))
	}
	change(w.p.ID, func(p *provision.Provider) { p.Limit = 1400 })
	change(other.ID, func(p *provision.Provider) { p.Queued = 1 })

	m := provision.NewManager(sick{w.store, other.ID}, w.options)
	if more, err := m.Promote(w.ctx); !more || err == nil {
		t.Errorf("one is sick: got %v, %v, want more and an error", more, err)
	}
	w.wantStatus(1000, playBasic, provision.InProgress)
	m = provision.NewManager(sick{w.store, w.p.ID}, w.options)
	if more, err := m.Promote(w.ctx); more || err == nil {
		t.Errorf("the other is sick: got %v, %v, want no more and an error", more, err)
	}
	for i, want := range []bool{true, false} {
		if more, err := w.m.Promote(w.ctx); more != want || err != nil {
			t.Fatalf("turn %d: got %v, %v, want %v", i+1, more, err, want)
		}
	}
	w.wantStatus(1400, playBasic, provision.InProgress)
	w.wantStatus(1401, playBasic, provision.LimitReached)
}
