package outbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/natefinch/atomic"

	"ativa/internal/service/domain"
	"ativa/internal/system"
)

const (
	// sendTimeout is the limit of one attempt, from the dial to the response after the message.
	sendTimeout = 50 * time.Second
	// maxRefusal is how long an e-mail is retried while the server temporarily refuses the
	// recipient's address (RFC 5321, 4.5.4.1). At least minEmailAttempts are made in any case.
	maxRefusal       = 4 * 24 * time.Hour
	minEmailAttempts = 5
)

// Mailer sends e-mails. It is safe for concurrent use.
type Mailer interface {
	// Send delivers the e-mail or returns a *DeliveryError, which does not contain the recipient.
	Send(context.Context, ActivationEmail) error
	// Idle is called when no e-mail is waiting. It may close connections.
	Idle()
}

// emailTransport sends activation e-mails. An e-mail that cannot be delivered fails the activation
// (decisions.md 8).
func (w *Worker) emailTransport() *transport {
	return &transport{
		kind: domain.EmailDelivery, concurrency: w.options.MailConcurrency, batchSize: w.options.MailBatchSize, timeout: sendTimeout, useCircuitBreaker: true,
		isCalled: func(domain.Destination) bool { return true },
		deliver: func(ctx context.Context, d domain.ClaimedDelivery) error {
			err := w.options.Mailer.Send(ctx, newActivationEmail(d, w.options.PublicURL, w.options.Language))
			if r, ok := errors.AsType[*refusal](err); ok {
				w.metrics.observeRefusal(r)
			}
			return err
		},
		retryDelay: func(j domain.Delivery) (time.Duration, bool) {
			refused := !j.RefusedSince.IsZero() && w.now().Sub(j.RefusedSince) >= maxRefusal && j.Attempts >= minEmailAttempts
			return backoff(j.Attempts), !refused
		},
		recordOutcome: w.failIfDead,
		onIdle:        w.options.Mailer.Idle,
	}
}

// DirectoryMailer writes e-mails as .eml files, for development. A repeated
// e-mail replaces its file.
type DirectoryMailer struct {
	dir  string
	from string // the sender's address
}

// NewDirectoryMailer returns a mailer that writes to dir. It creates dir if it is missing,
// readable only by its owner.
func NewDirectoryMailer(dir, from string) (*DirectoryMailer, error) {
	if err := system.MkdirPrivate(dir); err != nil {
		return nil, fmt.Errorf("mail directory: %w", err)
	}
	return &DirectoryMailer{dir, from}, nil
}

// Send writes one file atomically.
func (d *DirectoryMailer) Send(_ context.Context, e ActivationEmail) error {
	m, err := e.message(d.from)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		return err
	}
	if err := atomic.WriteFile(filepath.Join(d.dir, e.ID+".eml"), &b); err != nil {
		return &DeliveryError{Err: err, DestinationDown: true}
	}
	return nil
}

// Idle does nothing.
func (d *DirectoryMailer) Idle() {}
