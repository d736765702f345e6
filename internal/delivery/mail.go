package delivery

import (
	"context"
	"fmt"
	"time"

	"ativa/internal/provision"
)

const (
	// mailWithin bounds an attempt from the dial to the answer after the text.
	mailWithin = 50 * time.Second
	// mailPatience is how long temporary failures are borne (RFC 5321, 4.5.4.1).
	mailPatience = 4 * 24 * time.Hour
	// fairChance is how many attempts a letter has however old it is.
	fairChance = 5
)

// Mailer carries one composed letter to the subscriber's mail box. It is safe
// for concurrent use.
type Mailer interface {
	// Send delivers the letter or returns an error: a *Permanent when another
	// attempt is worth nothing, a *Failure that is Down when no letter at all
	// can be sent now. No error names the recipient.
	Send(context.Context, Letter) error
	// Idle tells that no letter waits; connections may be closed.
	Idle()
}

// mailWay sends activation e-mails. One that cannot be delivered ends the
// activation (decisions.md 8).
func (w *Worker) mailWay() *way {
	return &way{
		kind: provision.EmailJob, slots: w.o.MailSlots, batch: w.o.MailBatch, within: mailWithin, breaks: true, single: true,
		to: func(provision.Errand) string { return "" },
		deliver: func(ctx context.Context, e provision.Errand) error {
			if err := w.o.Mailer.Send(ctx, compose(e, w.o.PublicURL, w.o.Language)); err != nil {
				return fmt.Errorf("e-mail: %w", err)
			}
			return nil
		},
		again: func(j provision.Job, age time.Duration) (time.Duration, bool) {
			return backOff(j.Attempts), age < mailPatience || j.Attempts < fairChance
		},
		after: func(ctx context.Context, e provision.Errand, _ error, dead bool) error {
			if !dead {
				return nil
			}
			return w.outbox.Undeliverable(ctx, e.Job)
		},
		idle: w.o.Mailer.Idle,
	}
}
