package delivery

import (
	"context"
	"errors"
	"fmt"

	"ativa/internal/provision"
)

// Mailer carries one composed letter to the subscriber's mail box.
type Mailer interface {
	// Send delivers the letter or returns an error; one that is worth no
	// second attempt is a *Permanent.
	Send(context.Context, Letter) error
}

// Permanent marks a failure that another attempt would not mend.
type Permanent struct{ Err error }

// Error returns the cause's message.
func (p *Permanent) Error() string { return p.Err.Error() }

// Unwrap returns the cause.
func (p *Permanent) Unwrap() error { return p.Err }

const mailAttempts = 12

// mail sends activation e-mails one after the other.
func (w *Worker) mail(ctx context.Context, errands []provision.Errand) error {
	jobs := make([]provision.Job, 0, len(errands))
	for _, e := range errands {
		job, err := w.mailOne(ctx, e)
		if err != nil {
			return err
		}
		jobs = append(jobs, job)
	}
	return w.outbox.Finish(ctx, jobs)
}

func (w *Worker) mailOne(ctx context.Context, e provision.Errand) (provision.Job, error) {
	err := w.o.Mailer.Send(ctx, compose(e, w.o.PublicURL))
	if err == nil {
		return finished(w.outbox, e.Job), nil
	}
	j := e.Job
	j.LastError = fmt.Sprintf("e-mail: %s", err)
	var permanent *Permanent
	if errors.As(err, &permanent) || j.Attempts+1 >= mailAttempts {
		j.State = provision.JobDead
		return j, w.outbox.Undeliverable(ctx, e.Job.Operation)
	}
	j.State, j.NextAt = provision.JobDue, w.outbox.Now().Add(backOff(j.Attempts))
	return j, nil
}
