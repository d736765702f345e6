package reports

import (
	"context"

	"ativa/internal/service/domain"
)

// listedSchedules is the number of schedules that a list reads at a time.
const listedSchedules = 1000

// ScheduleByID returns a schedule of the provider, or refuses with ScheduleNotFound.
func (r *Reports) ScheduleByID(ctx context.Context, p domain.ProviderID, id domain.ScheduleID) (domain.Schedule, error) {
	if id.Provider() != p {
		return domain.Schedule{}, domain.Refuse(domain.ScheduleNotFound)
	}
	found, err := r.store.Schedules(ctx, domain.ScheduleQuery{Provider: p, After: id - 1, Limit: 1})
	switch {
	case err != nil:
		return domain.Schedule{}, err
	case len(found) == 0 || found[0].ID != id:
		return domain.Schedule{}, domain.Refuse(domain.ScheduleNotFound)
	}
	return found[0], nil
}

// EachSchedule calls fn for every schedule of q, in constant memory.
func (r *Reports) EachSchedule(ctx context.Context, q domain.ScheduleQuery, fn func(*domain.Schedule) error) error {
	q.Limit = listedSchedules
	for {
		part, err := r.store.Schedules(ctx, q)
		if err != nil {
			return err
		}
		for i := range part {
			if err := fn(&part[i]); err != nil {
				return err
			}
		}
		if len(part) < q.Limit {
			return nil
		}
		q.After = part[len(part)-1].ID
	}
}
