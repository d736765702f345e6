package rules

import (
	"context"

	"ativa/internal/service/domain"
)

// Confirm applies confirmations, one transaction per provider, and returns the outcome of each, in
// order: applied, stale or unmatched.
func (e *Engine) Confirm(ctx context.Context, all []domain.Confirmation) ([]domain.PartnerEventState, error) {
	states := make([]domain.PartnerEventState, len(all))
	indexes := make([]int, len(all))
	for i := range all {
		states[i], indexes[i] = domain.PartnerEventUnmatched, i // also of a provider that does not exist
	}
	_, err := writeEach(ctx, e, indexes, func(i int) domain.ProviderID { return all[i].Operation.Provider() },
		func(u *unitOfWork, ctx context.Context, indexes []int) error {
			return u.confirm(ctx, all, indexes, states)
		})
	return states, err
}

func (u *unitOfWork) confirm(ctx context.Context, all []domain.Confirmation, indexes []int, states []domain.PartnerEventState) error {
	ids, deliveries := make([]domain.OperationID, 0, len(indexes)), []domain.Job(nil)
	for _, i := range indexes {
		ids = append(ids, all[i].Operation)
		if d := all[i].Delivery; d.ID != 0 {
			deliveries = append(deliveries, d)
		}
	}
	operations, services, err := u.withServices(ctx, ids)
	if err != nil {
		return err
	}
	held, err := u.tx.HeldJobs(ctx, deliveries)
	if err != nil {
		return err
	}
	for _, i := range indexes {
		if d := all[i].Delivery; d.ID != 0 {
			if !held[d.ID] { // its lease ended: the outcome is for the server that claimed it since
				states[i] = domain.PartnerEventStale
				continue
			}
			d.Attempts++
			u.delivered = append(u.delivered, d)
		}
		op, known := operations[all[i].Operation]
		service, exists := services[op.Service]
		if states[i] = domain.PartnerEventUnmatched; known && exists {
			states[i] = u.confirmOne(op, u.track(service), all[i])
		}
	}
	return nil
}

func (u *unitOfWork) confirmOne(op domain.Operation, s *domain.Service, c domain.Confirmation) domain.PartnerEventState {
	if c.Kind != "" && c.Kind != op.Kind.String() || c.Partner != 0 && c.Partner != op.Partner {
		return domain.PartnerEventUnmatched
	}
	if s.Operation != op.ID || op.State == domain.OperationSuperseded || c.EmailNumber != 0 && c.EmailNumber != s.EmailNumber {
		return domain.PartnerEventStale
	}
	t := domain.Failed
	if c.Confirmed {
		t = domain.Confirmed
	}
	out := u.apply(s, t, Facts{}, cause{trigger: t.String(), actor: c.Actor, reason: c.Reason})
	if out.Verdict() == Moves || out.Verdict() == Stays {
		return domain.PartnerEventApplied
	}
	return domain.PartnerEventStale
}

// Resolve confirms or fails an operation by hand. Personal data in the reason is masked. It
// returns NotFound or NotWaiting.
func (e *Engine) Resolve(ctx context.Context, id domain.OperationID, confirmed bool, reason string) error {
	reason, err := e.maskReason(ctx, id, reason)
	if err != nil {
		return err
	}
	states, err := e.Confirm(ctx, []domain.Confirmation{{Operation: id, Confirmed: confirmed, Reason: reason, Actor: domain.ActorOperator}})
	if err != nil {
		return err
	}
	switch states[0] {
	case domain.PartnerEventUnmatched:
		return &domain.Error{Code: domain.NotFound, Message: "no operation has this id", Subject: domain.SubjectOperation}
	case domain.PartnerEventStale:
		return &domain.Error{Code: domain.NotWaiting, Message: "the operation waits for no confirmation"}
	}
	return nil
}

// FailRefused finishes the job of an e-mail or partner request that was refused for good. It fails
// the operation unless a newer e-mail, perhaps to another address, has replaced the refused one.
func (e *Engine) FailRefused(ctx context.Context, j domain.Job) error {
	c := domain.Confirmation{Operation: j.Operation, Reason: domain.ReasonRefused, Actor: domain.ActorSystem, Delivery: j}
	if j.Kind == domain.EmailJob {
		c.Reason, c.EmailNumber = domain.ReasonUndeliverable, j.Sequence
	}
	_, err := e.Confirm(ctx, []domain.Confirmation{c})
	return err
}
