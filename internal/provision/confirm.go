package provision

import (
	"context"
	"errors"
)

// Confirmation is what a partner, an operator or the delivery of the
// activation e-mail says about an operation.
type Confirmation struct {
	Operation   OperationID
	Kind        string // the kind the reporter means; "" when it need not match
	Partner     PartnerID
	Confirmed   bool // false: failed
	Reason      string
	Actor       Actor
	EmailNumber int // the e-mail that is meant, see [Job]; 0: none
}

// Confirm applies confirmations, each by itself, and says what became of
// each, in order: applied, stale (it concerns no running or failed operation)
// or unmatched (the operation is not known, or is of another partner or kind).
func (m *Manager) Confirm(ctx context.Context, all []Confirmation) ([]PartnerEventState, error) {
	states := make([]PartnerEventState, len(all))
	byProvider := map[ProviderID][]int{}
	for i, c := range all {
		p := c.Operation.Provider()
		byProvider[p] = append(byProvider[p], i)
	}
	for p, indexes := range byProvider {
		err := m.write(ctx, Call{Provider: p}, func(ctx context.Context, u *unitOfWork) (any, error) {
			return nil, u.confirm(ctx, all, indexes, states)
		})
		if isCode(err, NotFound) { // no such provider
			for _, i := range indexes {
				states[i] = PartnerEventUnmatched
			}
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return states, nil
}

func (u *unitOfWork) confirm(ctx context.Context, all []Confirmation, indexes []int, states []PartnerEventState) error {
	if err := u.loadOffers(ctx); err != nil {
		return err
	}
	ids := make([]OperationID, 0, len(indexes))
	for _, i := range indexes {
		ids = append(ids, all[i].Operation)
	}
	operations, err := u.tx.Operations(ctx, ids)
	if err != nil {
		return err
	}
	serviceIDs := make([]ServiceID, 0, len(operations))
	for _, op := range operations {
		serviceIDs = append(serviceIDs, op.Service)
	}
	services, err := u.tx.ServicesByID(ctx, serviceIDs)
	if err != nil {
		return err
	}
	for _, i := range indexes {
		op, known := operations[all[i].Operation]
		service, exists := services[op.Service]
		if !known || !exists {
			states[i] = PartnerEventUnmatched
			continue
		}
		states[i] = u.confirmOne(op, u.track(service), all[i])
	}
	return nil
}

func (u *unitOfWork) confirmOne(op Operation, s *Service, c Confirmation) PartnerEventState {
	if c.Kind != "" && c.Kind != op.Kind.String() || c.Partner != 0 && c.Partner != op.Partner {
		return PartnerEventUnmatched
	}
	if s.Operation != op.ID || op.State == OperationSuperseded || c.EmailNumber != 0 && c.EmailNumber != s.EmailNumber {
		return PartnerEventStale
	}
	t := Failed
	if c.Confirmed {
		t = Confirmed
	}
	out := u.apply(s, t, Facts{}, cause{trigger: t.String(), actor: c.Actor, reason: c.Reason})
	if out.Verdict == Moves || out.Verdict == Stays {
		return PartnerEventApplied
	}
	return PartnerEventStale
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

// Resolve lets an operator confirm or fail an operation by hand.
func (m *Manager) Resolve(ctx context.Context, id OperationID, confirmed bool, reason string) error {
	states, err := m.Confirm(ctx, []Confirmation{{Operation: id, Confirmed: confirmed, Reason: reason, Actor: ActorOperator}})
	if err != nil {
		return err
	}
	switch states[0] {
	case PartnerEventUnmatched:
		return &Error{Code: NotFound, Message: "no operation has this id"}
	case PartnerEventStale:
		return &Error{Code: NotWaiting, Message: "the operation waits for no confirmation"}
	}
	return nil
}
