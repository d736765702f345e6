package provision

import (
	"context"
	"errors"
	"fmt"
)

// drainChunk bounds how many queued activations one transaction starts; the
// worker goes on with the rest.
const drainChunk = 1000

// Drain starts queued activations that have room, for example after a limit
// was raised by another process. A provider whose turn fails keeps no other
// waiting. It returns whether there may be more, which
// needs one that moved: a queue that only a wrong counter tells of has none.
func (m *Manager) Drain(ctx context.Context) (more bool, err error) {
	providers, err := m.store.Backlogged(ctx)
	for _, p := range providers {
		var u *unit
		failed := m.write(ctx, Call{Provider: p, Actor: ActorSystem}, func(_ context.Context, own *unit) (any, error) {
			u = own
			return nil, nil
		})
		switch {
		case failed == nil:
			more = more || u.drained
		case !isCode(failed, NotFound):
			err = errors.Join(err, fmt.Errorf("provider %d: %w", p, failed))
		}
	}
	return more, err
}

// drain starts the queued activations that have room now, oldest first.
func (u *unit) drain(ctx context.Context) error {
	n := min(u.provider.Queued, u.provider.Limit-u.provider.Counted, drainChunk)
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
	u.drained = len(queued) > 0
	return u.flush(ctx)
}

// queuePositions fills in the places of the results that wait in the queue.
func (u *unit) queuePositions(ctx context.Context, results []Result) error {
	var waiting []OperationID
	for _, r := range results {
		if r.Status == LimitReached {
			waiting = append(waiting, r.operation)
		}
	}
	places, err := u.places(ctx, waiting)
	for i, r := range results {
		if r.Status == LimitReached {
			results[i].QueuePosition = places[r.operation]
		}
	}
	return err
}

// places asks the store where queued operations stand.
func (u *unit) places(ctx context.Context, waiting []OperationID) (map[OperationID]int, error) {
	if len(waiting) == 0 {
		return nil, nil
	}
	if err := u.flush(ctx); err != nil {
		return nil, err
	}
	return u.tx.QueuePositions(ctx, waiting)
}
