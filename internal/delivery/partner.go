package delivery

import (
	"context"

	"ativa/internal/provision"
)

// askPartners hands operations to the partners by their drivers.
func (w *Worker) askPartners(ctx context.Context, errands []provision.Errand) error {
	var done []provision.Job
	var simulated []provision.Errand
	for _, e := range errands {
		switch e.Partner.Driver {
		case provision.DriverSimulator:
			simulated = append(simulated, e)
		case provision.DriverHTTP, provision.DriverManual:
			// an operator confirms; there is nobody to ask
			done = append(done, finished(w.outbox, e.Job))
		default:
			done = append(done, finished(w.outbox, e.Job)) // a product without a partner
		}
	}
	if err := w.simulate(ctx, simulated); err != nil {
		return err
	}
	if len(done) == 0 {
		return nil
	}
	return w.outbox.Finish(ctx, done)
}

func finished(o Outbox, j provision.Job) provision.Job {
	j.State, j.NextAt, j.LastError = provision.JobDone, o.Now(), ""
	return j
}

// simulate plays the partner: an operation waits for the partner's delay and
// is then confirmed, or failed at the partner's failure rate.
func (w *Worker) simulate(ctx context.Context, errands []provision.Errand) error {
	now := w.outbox.Now()
	var confirmations []provision.Confirmation
	var done []provision.Job
	for _, e := range errands {
		if due := e.CreatedAt.Add(e.Partner.Delay); due.After(now) {
			if err := w.outbox.Postpone(ctx, []provision.Job{e.Job}, due); err != nil {
				return err
			}
			continue
		}
		c := provision.Confirmation{Operation: e.Job.Operation, Partner: e.Partner.ID, Confirmed: true, Actor: provision.ActorPartner}
		if w.o.Random() < e.Partner.FailureRate {
			c.Confirmed, c.Reason = false, "simulated failure"
		}
		confirmations = append(confirmations, c)
		done = append(done, finished(w.outbox, e.Job))
	}
	if len(done) == 0 {
		return nil
	}
	if _, err := w.outbox.Confirm(ctx, confirmations); err != nil {
		return err
	}
	return w.outbox.Finish(ctx, done)
}
