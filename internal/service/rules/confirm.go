package rules

import (
	"context"
	"maps"
	"slices"
)

// Confirmation reports that an operation succeeded or failed. It comes from a partner, an operator
// or the delivery of the activation e-mail.
type Confirmation struct {
	Operation   OperationID
	Kind        string // required kind of the operation; "": any
	Partner     PartnerID
	Confirmed   bool // false: failed
	Reason      string
	Actor       Actor
	EmailNumber int // Service.EmailNumber of the e-mail it is about; 0: any
	// Delivery is the claimed job that ended with this confirmation; its ID is 0 if there is none.
	// Confirm finishes it in the same transaction, so that a crash leaves both or neither.
	Delivery Job
}

// Confirm applies confirmations, one transaction per provider, and returns the outcome of each, in
// order: applied, stale or unmatched.
func (e *Engine) Confirm(ctx context.Context, all []Confirmation) ([]PartnerEventState, error) {
	states := make([]PartnerEventState, len(all))
	byProvider := map[ProviderID][]int{}
	for i, c := range all {
		p := c.Operation.Provider()
		byProvider[p] = append(byProvider[p], i)
	}
	for _, p := range slices.Sorted(maps.Keys(byProvider)) {
		indexes := byProvider[p]
		err := e.write(ctx, Call{Provider: p}, func(ctx context.Context, u *unitOfWork) (any, error) {
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
	ids := make([]OperationID, 0, len(indexes))
	for _, i := range indexes {
		ids = append(ids, all[i].Operation)
	}
	operations, services, err := u.withServices(ctx, ids)
	if err != nil {
		return err
	}
	held, err := u.heldDeliveries(ctx, all, indexes)
	if err != nil {
		return err
	}
	for _, i := range indexes {
		if d := all[i].Delivery; d.ID != 0 {
			if !held[d.ID] { // its lease ended: the outcome is for whoever claimed it since
				states[i] = PartnerEventStale
				continue
			}
			d.Attempts++
			u.delivered = append(u.delivered, d)
		}
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

// heldDeliveries returns which deliveries of the confirmations still belong to the caller.
func (u *unitOfWork) heldDeliveries(ctx context.Context, all []Confirmation, indexes []int) (map[JobID]bool, error) {
	var jobs []Job
	for _, i := range indexes {
		if d := all[i].Delivery; d.ID != 0 {
			jobs = append(jobs, d)
		}
	}
	return u.tx.HeldJobs(ctx, jobs)
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

// Resolve confirms or fails an operation by hand. Personal data in the reason is masked. It
// returns NotFound or NotWaiting.
func (e *Engine) Resolve(ctx context.Context, id OperationID, confirmed bool, reason string) error {
	reason, err := e.maskReason(ctx, id, reason)
	if err != nil {
		return err
	}
	states, err := e.Confirm(ctx, []Confirmation{{Operation: id, Confirmed: confirmed, Reason: reason, Actor: ActorOperator}})
	if err != nil {
		return err
	}
	switch states[0] {
	case PartnerEventUnmatched:
		return &Error{Code: NotFound, Message: "no operation has this id", Subject: SubjectOperation}
	case PartnerEventStale:
		return &Error{Code: NotWaiting, Message: "the operation waits for no confirmation"}
	}
	return nil
}

// Reasons of operations that failed because a delivery was refused.
const (
	ReasonUndeliverable = "email_undeliverable" // the activation e-mail was refused for good
	ReasonRefused       = "partner_refused"     // the partner refused the request for good
)

// FailRefused finishes the job of an e-mail or partner request that was refused for good. It fails
// the operation unless a newer e-mail, perhaps to another address, has replaced the refused one.
func (e *Engine) FailRefused(ctx context.Context, j Job) error {
	c := Confirmation{Operation: j.Operation, Reason: ReasonRefused, Actor: ActorSystem, Delivery: j}
	if j.Kind == EmailJob {
		c.Reason, c.EmailNumber = ReasonUndeliverable, j.Sequence
	}
	_, err := e.Confirm(ctx, []Confirmation{c})
	return err
}
