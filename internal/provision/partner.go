package provision

import (
	"context"
	"errors"
	"time"
)

// Driver says how a partner is reached.
type Driver string

// The drivers of decisions.md 8.
const (
	DriverManual    Driver = "manual"    // an operator confirms by hand
	DriverSimulator Driver = "simulator" // the service itself confirms after a delay
	DriverHTTP      Driver = "http"      // over HTTP, in both directions
)

// Partner is the third party that carries out operations on products.
type Partner struct {
	ID          PartnerID
	Name        string
	Driver      Driver
	URL         string        // http only
	Delay       time.Duration // simulator only
	FailureRate float64       // simulator only, 0 to 1
	Secret      []byte        // signs both directions (Standard Webhooks); never printed after creation
	CreatedAt   time.Time
}

// CreatePartner adds a partner and returns it with its new signing secret, to be
// shown once.
func (m *Manager) CreatePartner(ctx context.Context, p Partner) (Partner, error) {
	if err := firstInvalid(invalidPartner(p), invalidName(p.Name)); err != nil {
		return Partner{}, err
	}
	p.Secret, p.CreatedAt = randomBytes(24), m.Now()
	return m.store.CreatePartner(ctx, p)
}

// UpdatePartner changes a partner's URL, delay or failure rate. Pending requests
// go to the new URL, with the same ids and secret. It writes nothing when change
// returns an error. change may run more than once, and must not call the Manager.
func (m *Manager) UpdatePartner(ctx context.Context, name string, change func(*Partner) error) (Partner, error) {
	return m.store.UpdatePartner(ctx, name, func(p *Partner) error {
		if err := change(p); err != nil {
			return err
		}
		return firstInvalid(invalidPartner(*p))
	})
}

// invalidPartner checks all but the name, which never changes, so that a name
// that an older version accepted stays.
func invalidPartner(p Partner) *Error {
	switch p.Driver {
	case DriverManual:
	case DriverSimulator:
		if p.Delay < 0 {
			return invalid("delay", "0 or more")
		}
		if !(p.FailureRate >= 0 && p.FailureRate <= 1) { // NaN is neither
			return invalid("failure-rate", "between 0 and 1")
		}
	case DriverHTTP:
		if err := invalidURL(p.URL, true); err != nil {
			return err
		}
	default:
		return invalid("driver", "manual, simulator or http")
	}
	return nil
}

// PartnerEvent is what a partner reports about an operation.
type PartnerEvent struct {
	Partner    PartnerID
	ID         string // the partner's id of the event
	Operation  OperationID
	Kind       string // activation, suspension, cancellation, reactivation, change
	Confirmed  bool   // false: failed
	Reason     string
	ReceivedAt time.Time
	State      PartnerEventState
}

// PartnerEventState says whether, and how, a partner event was applied.
type PartnerEventState int

// The states of a partner event. An operator may replay unmatched ones.
const (
	PartnerEventStored PartnerEventState = iota // not yet applied
	PartnerEventApplied
	PartnerEventStale     // it concerns no running or failed operation
	PartnerEventUnmatched // its operation is unknown, or of another partner or kind
)

var partnerEventStateNames = [...]string{"stored", "applied", "stale", "parked"}

// String returns the state as `ativa admin partners events` prints it.
func (s PartnerEventState) String() string { return nameOf(partnerEventStateNames[:], s) }

// ReceivePartnerEvent stores what a partner reports and then applies it. An
// event whose id the partner sent before is a duplicate and changes nothing
// (decisions.md 8). The reason is kept without personal data.
func (m *Manager) ReceivePartnerEvent(ctx context.Context, e PartnerEvent) (duplicate bool, err error) {
	e.ReceivedAt, e.State = m.Now(), PartnerEventStored
	if e.Reason, err = m.maskReason(ctx, e.Operation, e.Reason); err != nil {
		return false, err
	}
	added, err := m.store.AddPartnerEvent(ctx, e)
	if err != nil || !added {
		return !added, err
	}
	// The event is accepted once it is stored. When applying it fails,
	// ApplyPartnerEvents tries again.
	_, _ = m.applyPartnerEvent(ctx, e)
	return false, nil
}

// maxPendingEvents is how many events one call of ApplyPartnerEvents reads.
const maxPendingEvents = 100

// ApplyPartnerEvents applies events that were stored and not applied, for
// example because the server stopped in between. It returns how many it
// applied. Each call continues where the last one stopped, so that events that
// fail do not block others.
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
	for _, e := range pending {
		state, err := m.applyPartnerEvent(ctx, e)
		if err != nil {
			errs = append(errs, err)
		}
		if state != PartnerEventStored {
			applied++
		}
	}
	return applied, errors.Join(errs...)
}

// ReplayPartnerEvents applies the unmatched events again and returns how many
// matched an operation now.
func (m *Manager) ReplayPartnerEvents(ctx context.Context) (int, error) {
	unmatched, err := m.store.PartnerEvents(ctx, []PartnerEventState{PartnerEventUnmatched})
	matched := 0
	for _, e := range unmatched {
		if e.Reason, err = m.maskReason(ctx, e.Operation, e.Reason); err != nil { // the operation may be known now
			return matched, err
		}
		state, err := m.applyPartnerEvent(ctx, e)
		if err != nil {
			return matched, err
		}
		if state != PartnerEventUnmatched {
			matched++
		}
	}
	return matched, err
}

// errSettled rolls back the effects of an event that another transaction settled first.
var errSettled = errors.New("the partner event is settled already")

// applyPartnerEvent applies an event and sets its state in the same transaction.
// It returns the new state, or e.State when it changed nothing.
func (m *Manager) applyPartnerEvent(ctx context.Context, e PartnerEvent) (PartnerEventState, error) {
	states := []PartnerEventState{PartnerEventUnmatched}
	err := m.write(ctx, Call{Provider: e.Operation.Provider()}, func(ctx context.Context, u *unitOfWork) (any, error) {
		c := Confirmation{Operation: e.Operation, Kind: e.Kind, Partner: e.Partner, Confirmed: e.Confirmed, Reason: e.Reason, Actor: ActorPartner}
		if err := u.confirm(ctx, []Confirmation{c}, []int{0}, states); err != nil {
			return nil, err
		}
		set, err := u.tx.SetPartnerEventState(ctx, e, states[0])
		if err == nil && !set {
			err = errSettled
		}
		return nil, err
	})
	switch {
	case errors.Is(err, errSettled):
		return e.State, nil
	case isCode(err, NotFound): // no such provider
		_, err = m.store.SetPartnerEventState(ctx, e, PartnerEventUnmatched)
		states[0] = PartnerEventUnmatched
	}
	if err != nil {
		return e.State, err
	}
	return states[0], nil
}
