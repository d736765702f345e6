package provision

import (
	"context"
	"errors"
	"fmt"
)

// promoteChunk bounds how many queued activations one transaction starts; the
// worker goes on with the rest.
const promoteChunk = 1000

// Promote starts queued activations that have room, for example after a limit
// was raised by another process. A provider whose turn fails keeps no other
// waiting. It returns whether there may be more, which
// needs one that moved: a queue that only a wrong counter tells of has none.
func (m *Manager) Promote(ctx context.Context) (more bool, err error) {
	providers, err := m.store.PromotableProviders(ctx)
	for _, p := range providers {
		moved, failed := m.promoteFor(ctx, p)
		more = more || moved
		if failed != nil && !isCode(failed, NotFound) {
			err = errors.Join(err, fmt.Errorf("provider %d: %w", p, failed))
		}
	}
	return more, err
}

// promoteFor is Drain for one provider; it returns whether anything started.
func (m *Manager) promoteFor(ctx context.Context, p ProviderID) (moved bool, err error) {
	var u *unitOfWork
	err = m.write(ctx, Call{Provider: p, Actor: ActorSystem}, func(_ context.Context, own *unitOfWork) (any, error) {
		u = own
		return nil, nil
	})
	return err == nil && u.promoted, err
}

// promote starts the queued activations that have room now, oldest first.
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
	for _, s := range queued {
		u.apply(u.track(s), SlotAvailable, Facts{}, cause{trigger: SlotAvailable.String(), actor: ActorSystem})
	}
	u.promoted = len(queued) > 0
	return u.flush(ctx)
}

// queuePositions fills in the places of the results that wait in the queue.
func (u *unitOfWork) queuePositions(ctx context.Context, results []Result) error {
	var waiting []OperationID
	for _, r := range results {
		if r.Status == LimitReached {
			waiting = append(waiting, r.operation)
		}
	}
	places, err := u.positionsOf(ctx, waiting)
	for i, r := range results {
		if r.Status == LimitReached {
			results[i].QueuePosition = places[r.operation]
		}
	}
	return err
}

// positionsOf asks the store where queued operations stand.
func (u *unitOfWork) positionsOf(ctx context.Context, waiting []OperationID) (map[OperationID]int, error) {
	if len(waiting) == 0 {
		return nil, nil
	}
	if err := u.flush(ctx); err != nil {
		return nil, err
	}
	return u.tx.QueuePositions(ctx, waiting)
}
