package rules

import (
	"context"

	"ativa/internal/service/domain"
)

// Confirm applies confirmations, one transaction per provider, and returns the outcome of each, in
// order: applied, stale or unmatched.
func (e *Engine) Confirm(ctx context.Context, all []domain.Confirmation) ([]domain.PartnerEventState, error) {
	pending := make([]*confirmation, len(all))
	for i, c := range all {
		pending[i] = &confirmation{c, domain.PartnerEventUnmatched} // stays so if the provider does not exist
	}
	_, err := writeEach(ctx, e, pending, func(c *confirmation) domain.ProviderID { return c.Operation.Provider() }, (*unitOfWork).confirm)
	outcomes := make([]domain.PartnerEventState, len(all))
	for i, c := range pending {
		outcomes[i] = c.outcome
	}
	return outcomes, err
}

// confirmation is a confirmation with its outcome.
type confirmation struct {
	domain.Confirmation
	outcome domain.PartnerEventState
}

// confirm applies confirmations of one provider and sets their outcomes.
func (u *unitOfWork) confirm(ctx context.Context, all []*confirmation) error {
	var ids []domain.OperationID
	var deliveries []domain.Delivery
	for _, c := range all {
		ids = append(ids, c.Operation)
		if c.Delivery.ID != 0 {
			deliveries = append(deliveries, c.Delivery)
		}
	}
	operations, services, err := u.loadOperations(ctx, ids)
	if err != nil {
		return err
	}
	held, err := u.tx.HeldDeliveries(ctx, deliveries)
	if err != nil {
		return err
	}
	for _, c := range all {
		if j := c.Delivery; j.ID != 0 {
			if !held[j.ID] { // its lease ended, and another server claimed it since
				c.outcome = domain.PartnerEventStale
				continue
			}
			j.Attempts++
			u.changes.FinishedDeliveries = append(u.changes.FinishedDeliveries, j)
		}
		op, known := operations[c.Operation]
		service, exists := services[op.Service]
		if c.outcome = domain.PartnerEventUnmatched; known && exists {
			c.outcome = u.confirmOne(op, u.track(service), c.Confirmation)
		}
	}
	return nil
}

func (u *unitOfWork) confirmOne(op domain.Operation, s *domain.Service, c domain.Confirmation) domain.PartnerEventState {
	if c.Kind != "" && c.Kind != op.Kind.String() || c.Partner != 0 && c.Partner != op.Partner {
		return domain.PartnerEventUnmatched
	}
	if s.Operation != op.ID || c.EmailNumber != 0 && c.EmailNumber != s.EmailNumber {
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
	outcomes, err := e.Confirm(ctx, []domain.Confirmation{{Operation: id, Confirmed: confirmed, Reason: reason, Actor: domain.ActorOperator}})
	if err != nil {
		return err
	}
	switch outcomes[0] {
	case domain.PartnerEventUnmatched:
		return &domain.Error{Code: domain.NotFound, Message: "no operation has this id", Subject: domain.SubjectOperation}
	case domain.PartnerEventStale:
		return &domain.Error{Code: domain.NotWaiting, Message: "the operation waits for no confirmation"}
	}
	return nil
}

// FailRefused finishes the delivery of an e-mail or partner request that was refused for good. It fails
// the operation unless a newer e-mail, perhaps to another address, has replaced the refused one.
func (e *Engine) FailRefused(ctx context.Context, j domain.Delivery) error {
	c := domain.Confirmation{Operation: j.Operation, Reason: domain.ReasonRefused, Actor: domain.ActorSystem, Delivery: j}
	if j.Kind == domain.EmailDelivery {
		c.Reason, c.EmailNumber = domain.ReasonUndeliverable, j.Sequence
	}
	_, err := e.Confirm(ctx, []domain.Confirmation{c})
	return err
}
