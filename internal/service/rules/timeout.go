package rules

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

// Expire processes the operations whose deadline has passed. The partner is asked again, each time
// with twice the time-out; after Options.MaxAttempts requests the operation times out and the service
// is in error. An operation that another engine left to this one (Options.LeaveRequests) is requested
// for the first time. Activations, which have a deadline only if Options.ActivationTTL is set, time out
// at once. A provider that fails does not stop the others.
func (e *Engine) Expire(ctx context.Context) error {
	list := func(except []domain.ProviderID) ([]domain.Operation, error) {
		return e.store.LateOperations(ctx, e.Now(), maxDue, except)
	}
	return performDue(ctx, e, list, func(op domain.Operation) domain.ProviderID { return op.ID.Provider() }, (*unitOfWork).expire)
}

// SetActivationDeadlines gives a deadline to activations that have none, if Options.ActivationTTL is
// set. They began before it was set, or were promoted by a process without this option, such as a
// command.
func (e *Engine) SetActivationDeadlines(ctx context.Context) error {
	if ttl := e.options.ActivationTTL; ttl > 0 {
		return e.store.SetActivationDeadlines(ctx, ttl)
	}
	return nil
}

func (u *unitOfWork) expire(ctx context.Context, late []domain.Operation) error {
	ids := make([]domain.OperationID, 0, len(late))
	for _, op := range late {
		ids = append(ids, op.ID)
	}
	operations, services, err := u.loadOperations(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		op := operations[id]
		s, ok := services[op.Service]
		if !ok || op.State != domain.OperationWaiting || op.Deadline.IsZero() || op.Deadline.After(u.now) {
			continue // it has ended or was asked again
		}
		u.expireOne(op, u.track(s))
	}
	return nil
}

func (u *unitOfWork) expireOne(op domain.Operation, s *domain.Service) {
	if op.Kind != domain.Activation && op.Attempts < u.engine.options.MaxAttempts {
		u.changes.Operations = append(u.changes.Operations, domain.OperationChange{
			ID: op.ID, State: domain.OperationWaiting, Deadline: u.now.Add(u.confirmTimeout(op.Attempts)), AddAttempts: 1,
		})
		u.enqueueRequest(s, op.Partner, op.Attempts+1) // makes the earlier request obsolete
		return
	}
	reason := "no confirmation"
	if op.Kind == domain.Activation {
		reason = "not completed in time"
	}
	if out := u.apply(s, domain.TimedOut, Facts{}, cause{trigger: domain.TimedOut.String(), actor: domain.ActorSystem, reason: reason}); out.Verdict() != Moves {
		u.changes.Operations = append(u.changes.Operations, domain.OperationChange{ID: op.ID, State: op.State}) // clears the deadline
	}
}

// confirmTimeout returns how long the partner may take after n requests. It doubles with each, up
// to 64 times.
func (u *unitOfWork) confirmTimeout(n int) time.Duration {
	return u.engine.options.ConfirmTimeout << min(n, 6)
}
