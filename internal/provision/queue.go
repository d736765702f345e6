package provision

import "context"

// drainChunk bounds how many queued activations one transaction starts; the
// worker goes on with the rest.
const drainChunk = 1000

// Drain starts queued activations that have room, for example after a limit
// was raised by another process. It returns whether there may be more.
func (m *Manager) Drain(ctx context.Context) (more bool, err error) {
	providers, err := m.store.Backlogged(ctx)
	for _, p := range providers {
		err := m.write(ctx, Call{Provider: p, Actor: ActorSystem}, func(context.Context, *unit) (any, error) { return nil, nil })
		if err != nil && !isCode(err, NotFound) {
			return false, err
		}
	}
	return len(providers) > 0, err
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
