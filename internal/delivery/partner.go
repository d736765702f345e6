package delivery

import (
	"context"
	"strconv"
	"time"

	"ativa/internal/provision"
)

// partnerSlots is how many requests one partner gets at once.
const partnerSlots = 8

// partnerWay hands operations to the partners by their drivers.
func (w *Worker) partnerWay() *way {
	return &way{
		kind: provision.PartnerJob, slots: partnerSlots, batch: 1, within: hookWithin, breaks: true,
		first:   w.withoutCalling,
		to:      func(e provision.Errand) string { return strconv.FormatInt(int64(e.Partner.ID), 10) },
		deliver: w.callPartner,
		// The rules end it: when the operation ends or is asked again, the job is obsolete.
		again: func(j provision.Job, _ time.Duration) (time.Duration, bool) { return backOff(j.Attempts), true },
		after: func(ctx context.Context, e provision.Errand, err error, _ bool) error {
			if isRefusal(err) {
				return w.outbox.Refused(ctx, e.Job.Operation)
			}
			return nil
		},
	}
}

// withoutCalling deals with the partners that are not called: the simulated
// ones answer by themselves, for the manual ones an operator does. It returns
// the errands of the others.
func (w *Worker) withoutCalling(ctx context.Context, errands []provision.Errand) ([]provision.Errand, error) {
	var call, simulated []provision.Errand
	var done []provision.Job
	for _, e := range errands {
		switch e.Partner.Driver {
		case provision.DriverHTTP:
			call = append(call, e)
		case provision.DriverSimulator:
			simulated = append(simulated, e)
		default: // a manual partner, or a product without one
			done = append(done, finished(w.outbox, e.Job))
		}
	}
	if err := w.simulate(ctx, simulated); err != nil {
		return nil, err
	}
	if len(done) == 0 {
		return call, nil
	}
	return call, w.outbox.Finish(ctx, done)
}

// simulate plays the partner: an operation waits for the partner's delay and
// is then confirmed, or failed at the partner's failure rate.
func (w *Worker) simulate(ctx context.Context, errands []provision.Errand) error {
	now := w.outbox.Now()
	var confirmations []provision.Confirmation
	var done, early []provision.Job
	for _, e := range errands {
		if due := e.CreatedAt.Add(e.Partner.Delay); due.After(now) {
			e.Job.NextAt = due
			early = append(early, e.Job)
			continue
		}
		c := provision.Confirmation{Operation: e.Job.Operation, Partner: e.Partner.ID, Confirmed: true, Actor: provision.ActorPartner}
		if w.o.Random() < e.Partner.FailureRate {
			c.Confirmed, c.Reason = false, "simulated failure"
		}
		confirmations = append(confirmations, c)
		done = append(done, finished(w.outbox, e.Job))
	}
	if len(early) > 0 {
		if err := w.outbox.Postpone(ctx, early); err != nil {
			return err
		}
	}
	if len(done) == 0 {
		return nil
	}
	if _, err := w.outbox.Confirm(ctx, confirmations); err != nil {
		return err
	}
	return w.outbox.Finish(ctx, done)
}
