package delivery

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"ativa/internal/provision"
)

// Outbox is what the worker needs of the rules; *provision.Manager is one.
type Outbox interface {
	Claim(ctx context.Context, kinds []provision.JobKind, n int, lease time.Duration) ([]provision.Errand, error)
	Finish(ctx context.Context, jobs []provision.Job) error
	Postpone(ctx context.Context, jobs []provision.Job, until time.Time) error
	Confirm(ctx context.Context, all []provision.Confirmation) ([]provision.ReportState, error)
	Undeliverable(ctx context.Context, op provision.OperationID) error
	Expire(ctx context.Context) (int, error)
	ApplyReports(ctx context.Context) (int, error)
	Drain(ctx context.Context) (bool, error)
	Purge(ctx context.Context) error
	Now() time.Time
}

const (
	claimSize = 200         // jobs claimed at once
	lease     = time.Minute // after which another worker takes a job over
	poll      = time.Second // how long a job that another process made may lie unseen
	purgeEach = time.Hour
)

// Options are the ways to the outside.
type Options struct {
	Mailer    Mailer         // nil: e-mails wait in the outbox
	PublicURL string         // where activation links lead, without a trailing slash
	Random    func() float64 // decides which simulated operations fail, 0 ≤ x < 1; default math/rand
	Log       *slog.Logger   // default: slog.Default
}

// Worker delivers what the outbox owes, one lane per kind of job, so that a
// slow receiver of one kind never delays the others.
type Worker struct {
	outbox Outbox
	o      Options
	wake   map[provision.JobKind]chan struct{}
}

// New returns a worker; Run starts it.
func New(outbox Outbox, o Options) *Worker {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	w := &Worker{outbox: outbox, o: o, wake: map[provision.JobKind]chan struct{}{}}
	for kind := range w.carriers() {
		w.wake[kind] = make(chan struct{}, 1)
	}
	return w
}

// carrier delivers claimed errands and writes what became of each.
type carrier func(context.Context, []provision.Errand) error

func (w *Worker) carriers() map[provision.JobKind]carrier {
	all := map[provision.JobKind]carrier{provision.PartnerJob: w.askPartners}
	if w.o.Mailer != nil {
		all[provision.EmailJob] = w.mail
	}
	return all
}

// Wake tells the worker that jobs are due; it never blocks.
func (w *Worker) Wake() {
	for _, c := range w.wake {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Run delivers until ctx ends, and returns when what was under way is written.
func (w *Worker) Run(ctx context.Context) {
	var lanes sync.WaitGroup
	for kind, carry := range w.carriers() {
		lanes.Go(func() { w.lane(ctx, kind, carry) })
	}
	lanes.Go(func() { w.keepHouse(ctx) })
	lanes.Wait()
}

func (w *Worker) lane(ctx context.Context, kind provision.JobKind, carry carrier) {
	for {
		more, err := w.round(ctx, kind, carry)
		if err != nil && ctx.Err() == nil {
			w.o.Log.Error("delivery", "kind", kind.String(), "error", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-w.wake[kind]:
		case <-time.After(poll):
		}
	}
}

// round claims and delivers once; more says that there may be more at once.
// What was claimed is finished even when ctx ends meanwhile.
func (w *Worker) round(ctx context.Context, kind provision.JobKind, carry carrier) (more bool, err error) {
	errands, err := w.outbox.Claim(ctx, []provision.JobKind{kind}, claimSize, lease)
	if err != nil || len(errands) == 0 {
		return false, err
	}
	return len(errands) == claimSize, carry(context.WithoutCancel(ctx), errands)
}

// keepHouse does what time brings: late partners, reports that a crash left
// unapplied, queued activations that another process made room for, and what
// has served its time.
func (w *Worker) keepHouse(ctx context.Context) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	var purged time.Time
	for {
		w.chores(ctx)
		if now := w.outbox.Now(); now.Sub(purged) >= purgeEach {
			if err := w.outbox.Purge(ctx); err != nil && ctx.Err() == nil {
				w.o.Log.Error("retention", "error", err)
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

func (w *Worker) chores(ctx context.Context) {
	if _, err := w.outbox.Expire(ctx); err != nil && ctx.Err() == nil {
		w.o.Log.Error("late operations", "error", err)
	}
	if _, err := w.outbox.ApplyReports(ctx); err != nil && ctx.Err() == nil {
		w.o.Log.Error("partner reports", "error", err)
	}
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = w.outbox.Drain(ctx); err != nil {
			w.o.Log.Error("activation queue", "error", err)
			return
		}
	}
}

// backOff is how long a failed delivery waits before it is tried again.
func backOff(attempts int) time.Duration {
	return min(time.Hour, 5*time.Second<<min(attempts, 12))
}
