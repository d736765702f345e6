package rules

import (
	"context"
	"errors"

	"ativa/internal/service/domain"
)

// ReceivePartnerEvent applies a partner's report and stores it with its outcome, in one
// transaction (decisions.md 8). If the partner sent an event with this id before, it changes
// nothing and returns true. Personal data in the reason is masked.
func (e *Engine) ReceivePartnerEvent(ctx context.Context, event domain.PartnerEvent) (duplicate bool, err error) {
	event.ReceivedAt = e.Now()
	if event.Reason, err = e.maskReason(ctx, event.Operation, event.Reason); err != nil {
		return false, err
	}
	_, err = e.applyPartnerEvent(ctx, event, func(ctx context.Context, tx Tx, state domain.PartnerEventState) (bool, error) {
		event.State, event.Reason = state, parkedReason(event.Reason, state)
		return tx.AddPartnerEvent(ctx, event)
	})
	switch {
	case errors.Is(err, errSettled):
		return true, nil
	case domain.IsCode(err, domain.NotFound): // no provider has the operation
		event.State = domain.PartnerEventUnmatched
		added, err := e.store.AddPartnerEvent(ctx, event)
		return err == nil && !added, err
	}
	return false, err
}

// ReplayPartnerEvents applies the unmatched events again and returns how many now matched an
// operation. An event that fails does not stop the others.
func (e *Engine) ReplayPartnerEvents(ctx context.Context) (matched int, err error) {
	unmatched, err := e.store.PartnerEvents(ctx, []domain.PartnerEventState{domain.PartnerEventUnmatched})
	for _, event := range unmatched {
		state, failed := e.replayPartnerEvent(ctx, event)
		switch {
		case errors.Is(failed, errSettled), domain.IsCode(failed, domain.NotFound): // settled by another replay, or still no provider has the operation
		case failed != nil:
			err = errors.Join(err, failed)
		case state != domain.PartnerEventUnmatched:
			matched++
		}
	}
	return matched, err
}

func (e *Engine) replayPartnerEvent(ctx context.Context, event domain.PartnerEvent) (state domain.PartnerEventState, err error) {
	if event.Reason, err = e.maskReason(ctx, event.Operation, event.Reason); err != nil { // the operation may be known now
		return state, err
	}
	return e.applyPartnerEvent(ctx, event, func(ctx context.Context, tx Tx, to domain.PartnerEventState) (bool, error) {
		event.Reason = parkedReason(event.Reason, to)
		return tx.SetPartnerEventState(ctx, event, to)
	})
}

// parkedReason returns the reason of an unmatched event, else "": an applied one is kept with its
// operation, and nobody reads that of a stale one.
func parkedReason(reason string, state domain.PartnerEventState) string {
	if state != domain.PartnerEventUnmatched {
		return ""
	}
	return reason
}

// errSettled rolls back an event that another transaction has already settled.
var errSettled = errors.New("the partner event is settled already")

// applyPartnerEvent applies an event and writes its state with set, in one transaction. It returns
// errSettled if set reports that the event is already settled.
func (e *Engine) applyPartnerEvent(ctx context.Context, event domain.PartnerEvent, set func(context.Context, Tx, domain.PartnerEventState) (bool, error)) (domain.PartnerEventState, error) {
	c := &confirmation{Confirmation: domain.Confirmation{Operation: event.Operation, Kind: event.Kind, Partner: event.Partner,
		Confirmed: event.Confirmed, Reason: event.Reason, Actor: domain.ActorPartner}}
	err := e.write(ctx, Call{Provider: event.Operation.Provider()}, func(ctx context.Context, u *unitOfWork) (any, error) {
		if err := u.confirm(ctx, []*confirmation{c}); err != nil {
			return nil, err
		}
		first, err := set(ctx, u.tx, c.outcome)
		if err == nil && !first {
			err = errSettled
		}
		return nil, err
	})
	return c.outcome, err
}
