package provision

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Expire deals with operations whose deadline has passed: the partner is asked
// again with growing patience, and after Options.MaxAsks times the operation
// has timed out and the service is in error. Activations fail at once; they
// have a deadline only when Options.ActivationTTL is set. It returns how many
// operations it dealt with.
func (m *Manager) Expire(ctx context.Context) (int, error) {
	late, err := m.store.LateOperations(ctx, m.Now(), 500)
	if err != nil {
		return 0, err
	}
	byProvider := map[ProviderID][]OperationID{}
	for _, op := range late {
		p := op.ID.Provider()
		byProvider[p] = append(byProvider[p], op.ID)
	}
	for p, ids := range byProvider { // one that fails keeps no other waiting
		failed := m.write(ctx, Call{Provider: p, Actor: ActorSystem}, func(ctx context.Context, u *unitOfWork) (any, error) {
			return nil, u.expire(ctx, ids)
		})
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("provider %d: %w", p, failed))
		}
	}
	return len(late), err
}

func (u *unitOfWork) expire(ctx context.Context, ids []OperationID) error {
	if err := u.loadOffers(ctx); err != nil {
		return err
	}
	operations, err := u.tx.Operations(ctx, ids)
	if err != nil {
		return err
	}
	var serviceIDs []ServiceID
	for _, op := range operations {
		serviceIDs = append(serviceIDs, op.Service)
	}
	services, err := u.tx.ServicesByID(ctx, serviceIDs)
	if err != nil {
		return err
	}
	for _, id := range ids {
		op := operations[id]
		s, ok := services[op.Service]
		if !ok || op.State != OperationWaiting || op.Deadline.IsZero() || op.Deadline.After(u.now) {
			continue // it ended meanwhile
		}
		u.expireOne(op, u.track(s))
	}
	return nil
}

func (u *unitOfWork) expireOne(op Operation, s *Service) {
	if op.Kind != Activation && op.Attempts < u.m.options.MaxAttempts {
		u.changes = append(u.changes, OperationChange{
			ID: op.ID, State: OperationWaiting, Deadline: u.now.Add(u.confirmTimeout(op.Attempts)), AddAttempts: 1,
		})
		u.enqueue(s, PartnerJob, op.Attempts+1) // the request before is obsolete
		return
	}
	reason := "no confirmation"
	if op.Kind == Activation {
		reason = "not completed in time"
	}
	if out := u.apply(s, TimedOut, Facts{}, cause{trigger: TimedOut.String(), actor: ActorSystem, reason: reason}); out.Verdict != Moves {
		u.changes = append(u.changes, OperationChange{ID: op.ID, State: op.State}) // no deadline any more
	}
}

// confirmTimeout is how long the partner may take after it was asked n times: it doubles.
func (u *unitOfWork) confirmTimeout(n int) time.Duration {
	return u.m.options.ConfirmTimeout << min(n, 6)
}
