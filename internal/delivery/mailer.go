package delivery

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/natefinch/atomic"

	"ativa/internal/provision"
)

const (
	// sendTimeout bounds an attempt from the dial to the answer after the text.
	sendTimeout = 50 * time.Second
	// maxEmailAge is how long temporary failures are borne (RFC 5321, 4.5.4.1).
	maxEmailAge = 4 * 24 * time.Hour
	// minEmailAttempts is how many attempts a letter has however old it is.
	minEmailAttempts = 5
)

// Mailer carries one composed letter to the subscriber's mail box. It is safe
// for concurrent use.
type Mailer interface {
	// Send delivers the letter or returns an error: a *Permanent when another
	// attempt is worth nothing, a *Failure that is Down when no letter at all
	// can be sent now. No error names the recipient.
	Send(context.Context, ActivationEmail) error
	// Idle tells that no letter waits; connections may be closed.
	Idle()
}

// emailTransport sends activation e-mails. One that cannot be delivered ends the
// activation (decisions.md 8).
func (w *Worker) emailTransport() *transport {
	return &transport{
		kind: provision.EmailJob, concurrency: w.options.MailConcurrency, batchSize: w.options.MailBatchSize, timeout: sendTimeout, useCircuitBreaker: true, singleDestination: true,
		destination: func(provision.Errand) string { return "" },
		deliver: func(ctx context.Context, e provision.Errand) error {
			if err := w.options.Mailer.Send(ctx, newActivationEmail(e, w.options.PublicURL, w.options.Language)); err != nil {
				return fmt.Errorf("e-mail: %w", err)
			}
			return nil
		},
		retryDelay: func(j provision.Job, age time.Duration) (time.Duration, bool) {
			return backoff(j.Attempts), age < maxEmailAge || j.Attempts < minEmailAttempts
		},
		recordOutcome: func(ctx context.Context, e provision.Errand, _ error, dead bool) error {
			if !dead {
				return nil
			}
			return w.outbox.Undeliverable(ctx, e.Job)
		},
		onIdle: w.options.Mailer.Idle,
	}
}

// DirectoryMailer writes letters as .eml files, for development. A repeated letter
// replaces its file.
type DirectoryMailer struct {
	Dir  string
	From string // the sender's address
}

// NewDirectoryMailer makes the directory when it is absent, readable by its owner only.
func NewDirectoryMailer(dir, from string) (*DirectoryMailer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("mail directory: %w", err)
	}
	return &DirectoryMailer{Dir: dir, From: from}, nil
}

// Send writes one file, complete or not at all.
func (d *DirectoryMailer) Send(_ context.Context, l ActivationEmail) error {
	var b bytes.Buffer
	if err := l.writeTo(&b, d.From); err != nil {
		return err
	}
	if err := atomic.WriteFile(filepath.Join(d.Dir, l.ID+".eml"), &b); err != nil {
		return &TemporaryError{Err: err, DestinationDown: true}
	}
	return nil
}

// Idle does nothing.
func (d *DirectoryMailer) Idle() {}
