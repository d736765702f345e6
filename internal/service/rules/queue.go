package rules

import (
	"context"
	"errors"
	"fmt"

	"ativa/internal/service/domain"
)

// promoteChunk is the maximum number of queued activations that one transaction starts.
const promoteChunk = 1000

// SetLimit changes the provider's limit of active tokens. If that leaves room, queued activations
// start in the order received.
func (e *Engine) SetLimit(ctx context.Context, name string, limit int) (domain.Provider, error) {
	if err := domain.InvalidLimit(limit); err != nil {
		return domain.Provider{}, err
	}
	p, err := e.store.ProviderByName(ctx, name)
	if err != nil {
		return p, err
	}
	err = e.write(ctx, Call{Provider: p.ID, Actor: domain.ActorOperator}, func(_ context.Context, u *unitOfWork) error {
		u.provider.Limit = limit
		return nil
	})
	for more := true; more && err == nil; {
		more, err = e.promoteFor(ctx, p.ID)
	}
	if err != nil {
		return p, err
	}
	return e.store.ProviderByName(ctx, name)
}

// Promote starts queued activations of providers below their limit, for example after another
// process raised it, until none is left to start. A provider that fails does not stop the others.
func (e *Engine) Promote(ctx context.Context) error {
	providers, err := e.store.PromotableProviders(ctx)
	for len(providers) > 0 { // providers take turns
		var more []domain.ProviderID
		for _, p := range providers {
			started, failed := e.promoteFor(ctx, p)
			if started {
				more = append(more, p)
			}
			if failed != nil && !domain.IsCode(failed, domain.NotFound) {
				err = errors.Join(err, fmt.Errorf("provider %d: %w", p, failed))
			}
		}
		providers = more
	}
	return err
}

// promoteFor starts up to promoteChunk queued activations of a provider and reports whether it
// started any.
func (e *Engine) promoteFor(ctx context.Context, p domain.ProviderID) (started bool, err error) {
	var u *unitOfWork
	err = e.write(ctx, Call{Provider: p, Actor: domain.ActorSystem}, func(_ context.Context, of *unitOfWork) error {
		u = of // every write ends with a promotion
		return nil
	})
	return err == nil && u.promoted, err
}

// promote starts queued activations, oldest first, while the provider is below
// its limit.
func (u *unitOfWork) promote(ctx context.Context) error {
	n := min(u.provider.Queued, u.provider.Limit-u.provider.ActiveTokens, promoteChunk)
	if n <= 0 {
		return nil
	}
	if err := u.loadOffers(ctx); err != nil {
		return err
	}
	queued, err := u.tx.Queue(ctx, n)
	if err != nil {
		return err
	}
	ids := make([]domain.OperationID, len(queued))
	for i, s := range queued {
		ids[i] = s.Operation
	}
	operations, err := u.tx.Operations(ctx, ids)
	if err != nil {
		return err
	}
	u.urgent = false
	for _, queued := range queued {
		s := u.track(queued)
		u.apply(s, domain.SlotAvailable, Facts{}, cause{trigger: domain.SlotAvailable.String(), actor: domain.ActorSystem})
		// The product's partner may have changed since the operation began.
		if op := operations[s.Operation]; op.RequestsActivation {
			u.enqueueRequest(s, op.Partner, 0)
		}
	}
	u.promoted = len(queued) > 0
	return u.flush(ctx)
}

// queuePositions sets the queue positions of the results in status limitReached.
func (u *unitOfWork) queuePositions(ctx context.Context, results []Result) error {
	var queued []domain.OperationID
	for _, r := range results {
		if r.Status == domain.LimitReached && r.Kind != ResultFailed {
			queued = append(queued, r.Operation)
		}
	}
	positions, err := u.positionsOf(ctx, queued)
	for i, r := range results {
		if r.Status == domain.LimitReached {
			results[i].QueuePosition = positions[r.Operation]
		}
	}
	return err
}

func (u *unitOfWork) positionsOf(ctx context.Context, queued []domain.OperationID) (map[domain.OperationID]int, error) {
	if len(queued) == 0 {
		return nil, nil
	}
	if u.call.DryRun {
		return u.expectedPositions(ctx, queued)
	}
	if err := u.flush(ctx); err != nil {
		return nil, err
	}
	return u.tx.QueuePositions(ctx, queued)
}

// expectedPositions returns the positions that a dry run's operations would get. Dry runs
// never promote queued activations, so positions are stable.
func (u *unitOfWork) expectedPositions(ctx context.Context, queued []domain.OperationID) (map[domain.OperationID]int, error) {
	positions, err := u.tx.QueuePositions(ctx, queued)
	last := u.tx.Provider().Queued
	for _, op := range u.changes.NewOperations {
		if s := u.tracked[op.Service]; err == nil && s.Status == domain.LimitReached && s.Operation == op.ID {
			last++
			positions[op.ID] = last
		}
	}
	return positions, err
}
