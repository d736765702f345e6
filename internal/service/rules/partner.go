package rules

import (
	"context"
	"errors"
	"time"
)

// Driver is how a partner is reached.
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
func (r *Registry) CreatePartner(ctx context.Context, p Partner) (Partner, error) {
	if err := firstInvalid(invalidPartner(p), invalidName(p.Name)); err != nil {
		return Partner{}, err
	}
	p.Secret, p.CreatedAt = randomBytes(24), r.clock.Now()
	return r.store.CreatePartner(ctx, p)
}

// UpdatePartner changes a partner's URL, delay or failure rate. Pending requests
// go to the new URL, with the same ids and secret. It writes nothing when change
// returns an error. change may run more than once, and must not use the Registry.
func (r *Registry) UpdatePartner(ctx context.Context, name string, change func(*Partner) error) (Partner, error) {
	return r.store.UpdatePartner(ctx, name, func(p *Partner) error {
		if err := change(p); err != nil {
			return err
		}
		return firstInvalid(invalidPartner(*p))
	})
}

// invalidPartner validates everything except the name, which never changes.
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
	PartnerEventApplied   PartnerEventState = iota + 1
	PartnerEventStale                       // it concerns no running or failed operation
	PartnerEventUnmatched                   // its operation is unknown, or of another partner or kind
)

var partnerEventStateNames = [...]string{"", "applied", "stale", "parked"}

// String returns the state as `ativa admin partners events` prints it.
func (s PartnerEventState) String() string { return nameOf(partnerEventStateNames[:], s) }

// ReceivePartnerEvent applies a partner's report and stores it with its outcome, in one
// transaction (decisions.md 8). If the partner sent an event with this id before, it changes
// nothing and returns true. Personal data in the reason is masked.
func (e *Engine) ReceivePartnerEvent(ctx context.Context, event PartnerEvent) (duplicate bool, err error) {
	event.ReceivedAt = e.Now()
	if event.Reason, err = e.maskReason(ctx, event.Operation, event.Reason); err != nil {
		return false, err
	}
	_, err = e.applyPartnerEvent(ctx, event, func(ctx context.Context, tx Tx, state PartnerEventState) (bool, error) {
		event.State = state
		return tx.AddPartnerEvent(ctx, event)
	})
	switch {
	case errors.Is(err, errSettled):
		return true, nil
	case isCode(err, NotFound): // no provider has the operation
		event.State = PartnerEventUnmatched
		added, err := e.store.AddPartnerEvent(ctx, event)
		return err == nil && !added, err
	}
	return false, err
}

// ReplayPartnerEvents applies the unmatched events again and returns how many now matched an
// operation.
func (e *Engine) ReplayPartnerEvents(ctx context.Context) (int, error) {
	unmatched, err := e.store.PartnerEvents(ctx, []PartnerEventState{PartnerEventUnmatched})
	matched := 0
	for _, event := range unmatched {
		if event.Reason, err = e.maskReason(ctx, event.Operation, event.Reason); err != nil { // the operation may be known now
			return matched, err
		}
		state, err := e.applyPartnerEvent(ctx, event, func(ctx context.Context, tx Tx, to PartnerEventState) (bool, error) {
			return tx.SetPartnerEventState(ctx, event, to)
		})
		switch {
		case errors.Is(err, errSettled), isCode(err, NotFound): // settled by another replay, or still no provider has the operation
		case err != nil:
			return matched, err
		case state != PartnerEventUnmatched:
			matched++
		}
	}
	return matched, err
}

// errSettled rolls back an event that another transaction has already settled.
var errSettled = errors.New("the partner event is settled already")

// applyPartnerEvent applies an event and writes its state with set, in one transaction. It returns
// errSettled if set reports that the event is already settled.
func (e *Engine) applyPartnerEvent(ctx context.Context, event PartnerEvent, set func(context.Context, Tx, PartnerEventState) (bool, error)) (PartnerEventState, error) {
	states := make([]PartnerEventState, 1)
	err := e.write(ctx, Call{Provider: event.Operation.Provider()}, func(ctx context.Context, u *unitOfWork) (any, error) {
		c := Confirmation{Operation: event.Operation, Kind: event.Kind, Partner: event.Partner, Confirmed: event.Confirmed, Reason: event.Reason, Actor: ActorPartner}
		if err := u.confirm(ctx, []Confirmation{c}, []int{0}, states); err != nil {
			return nil, err
		}
		first, err := set(ctx, u.tx, states[0])
		if err == nil && !first {
			err = errSettled
		}
		return nil, err
	})
	return states[0], err
}
