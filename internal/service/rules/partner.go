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
	_, err = e.applyPartnerEvent(ctx, &event)
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
		state, failed := e.applyPartnerEvent(ctx, &event)
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

// errSettled rolls back an event that another transaction has already settled.
var errSettled = errors.New("the partner event is settled already")

// applyPartnerEvent masks the reason of an event, applies the event and stores its new state, in one
// transaction. An event in state 0 is new. It returns errSettled if the event is already settled.
func (e *Engine) applyPartnerEvent(ctx context.Context, event *domain.PartnerEvent) (domain.PartnerEventState, error) {
	var err error
	if event.Reason, err = e.maskReason(ctx, event.Operation, event.Reason); err != nil {
		return 0, err
	}
	c := &confirmation{Confirmation: domain.Confirmation{Operation: event.Operation, Kind: event.Kind, Partner: event.Partner,
		Confirmed: event.Confirmed, Reason: event.Reason, Actor: domain.ActorPartner}}
	err = e.write(ctx, Call{Provider: event.Operation.Provider()}, func(ctx context.Context, u *unitOfWork) error {
		if err := u.confirm(ctx, []*confirmation{c}); err != nil {
			return err
		}
		stored, err := u.storePartnerEvent(ctx, *event, c.outcome)
		if err == nil && !stored {
			err = errSettled
		}
		return err
	})
	return c.outcome, err
}

// storePartnerEvent stores a new event with its state, or changes the state of a stored one. It
// reports false if another transaction has done so. An event keeps its reason only while it is
// unmatched: once it is applied, its operation has the reason; of a stale event it is not needed.
func (u *unitOfWork) storePartnerEvent(ctx context.Context, event domain.PartnerEvent, state domain.PartnerEventState) (bool, error) {
	if state != domain.PartnerEventUnmatched {
		event.Reason = ""
	}
	if event.State != 0 {
		return u.tx.SetPartnerEventState(ctx, event, state)
	}
	event.State = state
	return u.tx.AddPartnerEvent(ctx, event)
}
