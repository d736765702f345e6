package provision

import (
	"context"
	"maps"
	"slices"
)

// finish writes what the unit did and starts queued activations that have
// room now, oldest first.
func (u *unitOfWork) finish(ctx context.Context) error {
	if err := u.flush(ctx); err != nil {
		return err
	}
	if err := u.promote(ctx); err != nil {
		return err
	}
	return u.tx.SaveProvider(ctx, u.provider)
}

// flush writes what has gathered, in a handful of statements.
func (u *unitOfWork) flush(ctx context.Context) error {
	fresh := make([]Service, 0, len(u.inserted))
	for _, s := range u.inserted {
		fresh = append(fresh, *s)
		delete(u.changed, s.ID)
	}
	changed := make([]Service, 0, len(u.changed))
	for _, id := range slices.Sorted(maps.Keys(u.changed)) {
		changed = append(changed, *u.changed[id])
	}
	err := firstError(
		writeRows(ctx, u.tx.InsertServices, fresh),
		writeRows(ctx, u.tx.UpdateServices, changed),
		writeRows(ctx, u.tx.InsertOperations, u.operations),
		writeRows(ctx, u.tx.UpdateOperations, u.changes),
		writeRows(ctx, u.tx.InsertEvents, u.events),
		writeRows(ctx, u.tx.InsertJobs, u.jobs),
	)
	u.inserted, u.operations, u.changes, u.events, u.jobs = nil, nil, nil, nil, nil
	clear(u.changed)
	return err
}

// writeRows returns the step of writing rows, which is none when there are none.
func writeRows[T any](ctx context.Context, to func(context.Context, []T) error, rows []T) func() error {
	return func() error {
		if len(rows) == 0 {
			return nil
		}
		return to(ctx, rows)
	}
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
