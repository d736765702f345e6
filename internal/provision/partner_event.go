package provision

import (
	"context"
	"errors"
	"time"
)

// PartnerEvent is what a partner says about an operation.
type PartnerEvent struct {
	Partner    PartnerID
	ID         string // the partner's own id of the message
	Operation  OperationID
	Kind       string // activation, suspension, cancellation, reactivation, change
	Confirmed  bool   // false: failed
	Reason     string
	ReceivedAt time.Time
	State      PartnerEventState
}

// PartnerEventState is what became of a report.
type PartnerEventState int

// The states of a report. Unmatched ones are parked; the operator may replay them.
const (
	PartnerEventStored PartnerEventState = iota
	PartnerEventApplied
	PartnerEventStale
	PartnerEventUnmatched
)

// String returns the state as `ativa admin partners events` prints it.
func (s PartnerEventState) String() string {
	return [...]string{"stored", "applied", "stale", "parked"}[s]
}

// Receive stores what a partner reported and then applies it; a report whose
// id is known already is a duplicate and changes nothing (decisions.md 8).
func (m *Manager) Receive(ctx context.Context, r PartnerEvent) (duplicate bool, err error) {
	r.ReceivedAt, r.State = m.now(), PartnerEventStored
	added, err := m.store.AddPartnerEvent(ctx, r)
	if err != nil || !added {
		return !added, err
	}
	// Stored is accepted: what cannot be applied now, ApplyReports will.
	_, _ = m.applyPartnerEvent(ctx, r)
	return false, nil
}

// maxPendingEvents is how many reports one call of ApplyReports looks at.
const maxPendingEvents = 100

// ApplyPartnerEvents applies reports that were stored and not applied, for example
// because the server stopped in between. It returns how many it applied. Each
// call goes on where the one before stopped, so that reports which fail keep
// no other waiting.
func (m *Manager) ApplyPartnerEvents(ctx context.Context) (int, error) {
	m.pending.Lock()
	defer m.pending.Unlock()
	pending, err := m.store.PendingPartnerEvents(ctx, m.pending.after, maxPendingEvents)
	if err != nil {
		return 0, err
	}
	m.pending.after = PartnerEvent{}
	if len(pending) == maxPendingEvents {
		m.pending.after = pending[maxPendingEvents-1]
	}
	var errs []error
	applied := 0
	for _, r := range pending {
		state, err := m.applyPartnerEvent(ctx, r)
		if err != nil {
			errs = append(errs, err)
		}
		if state != PartnerEventStored {
			applied++
		}
	}
	return applied, errors.Join(errs...)
}

// PartnerEvents lists up to [MaxItems] of what partners reported, in the given
// states, oldest first.
func (m *Manager) PartnerEvents(ctx context.Context, states []PartnerEventState) ([]PartnerEvent, error) {
	return m.store.PartnerEvents(ctx, states, MaxItems)
}

// ReplayPartnerEvents applies the parked reports again and returns how many matched now.
func (m *Manager) ReplayPartnerEvents(ctx context.Context) (int, error) {
	parked, err := m.store.PartnerEvents(ctx, []PartnerEventState{PartnerEventUnmatched}, MaxItems)
	matched := 0
	for _, r := range parked {
		state, err := m.applyPartnerEvent(ctx, r)
		if err != nil {
			return matched, err
		}
		if state != PartnerEventUnmatched {
			matched++
		}
	}
	return matched, err
}

// errSettled undoes what a report did that another transaction has settled meanwhile.
var errSettled = errors.New("the report is settled already")

// applyPartnerEvent confirms what a report tells and sets its state in the same
// transaction. It returns the new state, or that of r when nothing was done.
func (m *Manager) applyPartnerEvent(ctx context.Context, r PartnerEvent) (PartnerEventState, error) {
	states := []PartnerEventState{PartnerEventUnmatched}
	err := m.write(ctx, Call{Provider: r.Operation.Provider()}, func(ctx context.Context, u *unitOfWork) (any, error) {
		c := Confirmation{Operation: r.Operation, Kind: r.Kind, Partner: r.Partner, Confirmed: r.Confirmed, Reason: r.Reason, Actor: ActorPartner}
		if err := u.confirm(ctx, []Confirmation{c}, []int{0}, states); err != nil {
			return nil, err
		}
		set, err := u.tx.SetPartnerEventState(ctx, r, states[0])
		if err == nil && !set {
			err = errSettled
		}
		return nil, err
	})
	switch {
	case errors.Is(err, errSettled):
		return r.State, nil
	case isCode(err, NotFound): // no such provider
		_, err = m.store.SetPartnerEventState(ctx, r, PartnerEventUnmatched)
		states[0] = PartnerEventUnmatched
	}
	if err != nil {
		return r.State, err
	}
	return states[0], nil
}
