package support

import (
	"context"
	"slices"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lang"
)

// trustTime is how long a trust release lasts (cli.md, Desk).
const trustTime = 3 * 24 * time.Hour

// Waiting returns the pending scheduled operations of a subscriber, the next first. The
// server must have the extension ExtSchedule.
func Waiting(ctx context.Context, c *client.Client, document string) ([]api.Schedule, error) {
	all, err := client.Collect(c.Schedules(ctx, document))
	if err != nil {
		return nil, err
	}
	waiting := slices.DeleteFunc(client.Values(all), func(s api.Schedule) bool { return s.State != api.ScheduleWaiting })
	slices.SortStableFunc(waiting, func(a, b api.Schedule) int { return a.At.Compare(b.At.Time) })
	return waiting, nil
}

// scheduledOf returns the scheduled operations of service i, the newest of its product.
func (o *Overview) scheduledOf(i int) []api.Schedule {
	waiting := []api.Schedule{}
	for _, s := range o.Scheduled {
		if s.ProductID == o.Subscriber.Services[i].ProductID && !o.hasLater(i) {
			waiting = append(waiting, s)
		}
	}
	return waiting
}

// ScheduleMessage describes a scheduled operation, its time and its author; zone is the
// person's.
func ScheduleMessage(s api.Schedule, zone *time.Location) lang.Message {
	text := lang.Msg("%s on %s", TriggerMessage(string(s.Operation)), clockTime{at: s.At.In(zone)})
	if s.ActorName != "" {
		text = lang.Msg("%s (%s)", text, string(s.ActorName))
	}
	return text
}

// TrustRelease returns the step that settles service i for trustTime. It is allowed for
// a service suspended for non-payment.
func (o *Overview) TrustRelease(i int) (Step, bool) {
	if !o.Schedule || o.Subscriber.Services[i].StatusID != api.StatusOverdue {
		return Step{}, false
	}
	s, allowed := o.step(i, api.Settle)
	s.Until = o.Now.Add(trustTime)
	return s, allowed
}
