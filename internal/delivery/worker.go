package delivery

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"ativa/internal/provision"
)

// Outbox is what the worker needs of the rules; *provision.Manager is one.
type Outbox interface {
	Claim(ctx context.Context, kind provision.JobKind, n int, lease time.Duration) ([]provision.Errand, error)
	Finish(ctx context.Context, jobs []provision.Job) error
	Postpone(ctx context.Context, jobs []provision.Job) error
	Confirm(ctx context.Context, all []provision.Confirmation) ([]provision.ReportState, error)
	Undeliverable(ctx context.Context, email provision.Job) error
	Refused(ctx context.Context, op provision.OperationID) error
	CallbackAnswered(ctx context.Context, p provision.ProviderID, well bool) error
	Expire(ctx context.Context) (int, error)
	ApplyReports(ctx context.Context) (int, error)
	Drain(ctx context.Context) (bool, error)
	Purge(ctx context.Context) error
	Now() time.Time
}

const (
	pollInterval  = time.Second // how long a job that another process made may lie unseen
	purgeInterval = time.Hour
)

// Options are the ways to the outside; the zero value of each means its default.
type Options struct {
	Mailer          Mailer         // nil: e-mails wait in the outbox
	MailConcurrency int            // letters under way at once; default 1
	MailBatchSize   int            // letters whose outcome is written together, and which a crash may repeat; default 1
	Language        string         // of the e-mails, "pt" (default) or "en"
	PublicURL       string         // where activation links lead, without a trailing slash
	Random          func() float64 // decides which simulated operations fail, and jitter, 0 ≤ x < 1; default math/rand
	Log             *slog.Logger   // default: slog.Default
	// Dial opens the connections to partners and callbacks. Default: the
	// network, where callbacks reach only what [Guard] permits.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

func (o Options) withDefaults() Options {
	o.MailConcurrency, o.MailBatchSize = max(o.MailConcurrency, 1), max(o.MailBatchSize, 1)
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// Worker delivers what the outbox owes: a lane for each kind of job, and in it
// a desk for each destination, so that no receiver ever waits for another.
type Worker struct {
	outbox      Outbox
	options     Options
	kindWorkers []*kindWorker
	webhooks    webhookClients
	metrics     *workerMetrics
	inFlight    sync.WaitGroup // deliveries under way
}

// New returns a worker; Run starts it.
func New(outbox Outbox, o Options) *Worker {
	w := &Worker{outbox: outbox, options: o.withDefaults(), metrics: newWorkerMetrics()}
	w.webhooks = newWebhookClients(w.options.Dial)
	w.kindWorkers = []*kindWorker{newKindWorker(w, w.partnerTransport()), newKindWorker(w, w.callbackTransport())}
	if w.options.Mailer != nil {
		w.kindWorkers = append(w.kindWorkers, newKindWorker(w, w.emailTransport()))
	}
	return w
}

// Wake tells the worker that jobs are due; it never blocks.
func (w *Worker) Wake() {
	for _, l := range w.kindWorkers {
		l.wake()
	}
}

// Run delivers until ctx ends, and returns when what was under way is written;
// that takes no longer than one delivery may. Its writes yield to those that
// people wait for.
func (w *Worker) Run(ctx context.Context) {
	ctx = provision.WithPriority(ctx, provision.Background)
	var lanes sync.WaitGroup
	for _, l := range w.kindWorkers {
		lanes.Go(func() { l.run(ctx) })
	}
	lanes.Go(func() { w.runMaintenance(ctx) })
	lanes.Wait()
	w.inFlight.Wait()
}

// runMaintenance does what time brings: late partners, reports that a crash left
// unapplied, queued activations that another process made room for, and what
// has served its time.
func (w *Worker) runMaintenance(ctx context.Context) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	var purged time.Time
	for {
		w.maintain(ctx)
		if now := w.outbox.Now(); now.Sub(purged) >= purgeInterval {
			if err := w.outbox.Purge(ctx); err != nil && ctx.Err() == nil {
				w.options.Log.Error("retention", "error", err)
			}
			purged = now
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (w *Worker) maintain(ctx context.Context) {
	if _, err := w.outbox.Expire(ctx); err != nil && ctx.Err() == nil {
		w.options.Log.Error("late operations", "error", err)
	}
	if _, err := w.outbox.ApplyReports(ctx); err != nil && ctx.Err() == nil {
		w.options.Log.Error("partner reports", "error", err)
	}
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = w.outbox.Drain(ctx); err != nil {
			if ctx.Err() == nil {
				w.options.Log.Error("activation queue", "error", err)
			}
			return
		}
	}
}

// writeWithRetry writes what became of a delivery. What is not written is delivered
// again, so a database that is busy is waited for.
func (w *Worker) writeWithRetry(ctx context.Context, write func(context.Context) error) {
	ctx = context.WithoutCancel(ctx)
	var err error
	for wait := 50 * time.Millisecond; wait < 10*time.Second; wait *= 2 {
		if err = write(ctx); err == nil {
			return
		}
		<-time.After(wait)
	}
	w.options.Log.Error("the outcome of a delivery could not be written; it will be repeated", "error", err)
}
