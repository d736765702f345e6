package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"ativa/internal/lang"
	"ativa/internal/service/domain"
)

// Rules apply outcomes of deliveries to services, and perform periodic work.
type Rules interface {
	Confirm(ctx context.Context, all []domain.Confirmation) ([]domain.PartnerEventState, error)
	FailRefused(ctx context.Context, delivery domain.Delivery) error
	Expire(ctx context.Context) error
	SetActivationDeadlines(ctx context.Context) error
	Promote(ctx context.Context) error
	PerformSchedules(ctx context.Context) error
}

const (
	pollInterval  = time.Second            // after which deliveries added by another process are noticed
	wakePause     = 100 * time.Millisecond // minimum time between two checks, so that many small commits cause few
	purgeInterval = time.Hour
	clockJump     = time.Minute // minimum change of the clock that is noticed
	useRetry      = time.Minute // after which a failed write of token use is repeated
)

// Options configures a [Worker]. A zero field selects its default, unless it is required.
type Options struct {
	Mailer          Mailer         // nil: e-mails stay in the outbox
	MailConcurrency int            // e-mails sent at once; default 1
	MailBatchSize   int            // e-mails whose outcomes are written together; a crash may repeat them; default 1
	Language        lang.Language  // of the e-mails; default Portuguese
	PublicURL       string         // base of activation links, without a trailing slash
	Random          func() float64 // in [0, 1), for jitter and for the failures of simulated partners; default math/rand
	Log             *slog.Logger   // required
	// EncodeEvents returns events as a JSON array, in the format of the feed. It is required.
	EncodeEvents func([]domain.Event) ([]byte, error)
	// Transport replaces the network to partners and callbacks in tests. It returns the transport to
	// use instead of the given one, which it may modify. Through the given one, callbacks reach only
	// addresses that [DialControl] permits.
	Transport func(*http.Transport) http.RoundTripper
	// Purge deletes rows past their retention period. It is called every hour, first an hour after
	// the start. It is required.
	Purge func(context.Context) error
	// RecordUse writes values that servers keep in memory for a while: the last use of tokens and
	// counts of refused requests. It is called every second. It is required.
	RecordUse func(context.Context) error
}

func (o Options) withDefaults() Options {
	o.MailConcurrency, o.MailBatchSize = max(o.MailConcurrency, 1), max(o.MailBatchSize, 1)
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}

// Worker makes the deliveries of the outbox. Each kind of delivery has its own worker with a sender per
// destination, so that no destination delays another.
type Worker struct {
	queue       *Queue
	rules       Rules
	options     Options
	kindWorkers []*kindWorker
	feed        *feedPusher
	webhooks    webhookClients
	metrics     *workerMetrics
	logged      loggedLines
	inFlight    sync.WaitGroup // senders and pushes of the feed
}

// New returns a worker, which Run starts.
func New(queue *Queue, feeds *Feeds, engine Rules, o Options) *Worker {
	w := &Worker{queue: queue, rules: engine, options: o.withDefaults(), metrics: newWorkerMetrics()}
	w.webhooks = newWebhookClients(w.options.Transport)
	w.kindWorkers = []*kindWorker{newKindWorker(w, w.partnerTransport()), newKindWorker(w, w.callbackTransport())}
	if w.options.Mailer != nil {
		w.kindWorkers = append(w.kindWorkers, newKindWorker(w, w.emailTransport()))
	}
	w.feed = &feedPusher{worker: w, feeds: feeds, woken: make(chan struct{}, 1), pushing: map[domain.ProviderID]bool{}}
	return w
}

// WakeFeed makes the worker check for events to push at once. It never blocks.
func (w *Worker) WakeFeed() { w.feed.wake() }

// Wake makes the worker check for due deliveries at once. It never blocks.
func (w *Worker) Wake() {
	for _, k := range w.kindWorkers {
		k.wake()
	}
}

// Run delivers until ctx ends. It returns when the outcome of every attempt in
// progress is written, at most about the timeout of one attempt later. Its
// writes are bulk.
func (w *Worker) Run(ctx context.Context) {
	ctx = domain.WithBulk(ctx)
	var workers sync.WaitGroup
	for _, k := range w.kindWorkers {
		workers.Go(func() { k.run(ctx) })
	}
	workers.Go(func() { w.runMaintenance(ctx) })
	workers.Go(func() { w.runSchedules(ctx) })
	workers.Go(func() { w.runRetention(ctx) })
	workers.Go(func() { poll(ctx, w.feed.woken, func() { w.feed.startDue(ctx) }) })
	workers.Wait()
	w.inFlight.Wait()
}

// runMaintenance expires operations, promotes queued activations and records the use of tokens,
// every second.
func (w *Worker) runMaintenance(ctx context.Context) {
	var failed time.Time
	poll(ctx, nil, func() {
		w.logError(ctx, "late operations", w.rules.Expire(ctx))
		w.logError(ctx, "activation queue", w.rules.Promote(ctx))
		if time.Since(failed) < useRetry {
			return
		}
		if err := w.options.RecordUse(ctx); err != nil && ctx.Err() == nil {
			w.options.Log.Warn("recording the use of tokens and refused requests failed", "error", err)
			failed = time.Now()
		}
	})
}

// runRetention deletes rows past their retention period, every hour. Deleted rows cannot be
// restored, so it waits an hour after a start, and again after the clock was set forward: time to
// correct a wrong clock.
func (w *Worker) runRetention(ctx context.Context) {
	tick := time.NewTicker(purgeInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		w.logError(ctx, "deadlines of activations", w.rules.SetActivationDeadlines(ctx))
		began, wall := time.Now(), w.now()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if ahead := w.now().Sub(wall) - time.Since(began); ahead > clockJump {
			w.options.Log.Info("retention waits for an hour: the clock was set forward", "by", ahead.Round(time.Second).String())
			continue
		}
		w.logError(ctx, "retention", w.options.Purge(ctx))
	}
}

// runSchedules performs due operations, every second. It is no part of maintenance, because promoting
// a long queue may take longer than the minute that a scheduled operation may be late.
func (w *Worker) runSchedules(ctx context.Context) {
	poll(ctx, nil, func() { w.logError(ctx, "scheduled operations", w.rules.PerformSchedules(ctx)) })
}

// poll calls check at once, every second and when it is woken, until ctx ends.
func poll(ctx context.Context, woken <-chan struct{}, check func()) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for wake := false; ctx.Err() == nil; {
		check()
		if wake {
			wait(ctx, wakePause)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
			wake = drain(woken)
		case <-woken:
			wake = true
			drain(tick.C)
		}
	}
}

// drain empties a channel of one element and reports whether there was one. It makes a wake and a
// tick that arrive together cause one check, whichever of them select takes: a simulated week is the
// same each time.
func drain[T any](c <-chan T) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (w *Worker) now() time.Time { return w.queue.clock.Now() }

// logError logs err, unless it is nil or ctx has ended. What fails again and again is logged once a
// minute.
func (w *Worker) logError(ctx context.Context, message string, err error, args ...any) {
	if err == nil || ctx.Err() != nil {
		return
	}
	args = append(args, "error", err)
	if w.logged.isNew(fmt.Sprint(message, args)) {
		w.options.Log.Error(message, args...)
	}
}

// loggedLines remembers lines for a minute. The zero value is ready to use; it is safe for
// concurrent use.
type loggedLines struct {
	mu    sync.Mutex
	began time.Time
	lines map[string]bool
}

func (l *loggedLines) isNew(line string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.began) >= time.Minute {
		l.began, l.lines = time.Now(), map[string]bool{}
	}
	known := l.lines[line]
	l.lines[line] = true
	return !known
}

// failIfDead fails the operation of a delivery that is given up.
func (w *Worker) failIfDead(ctx context.Context, j domain.Delivery) error {
	if j.State != domain.OutboxDead {
		return nil
	}
	return w.rules.FailRefused(ctx, j)
}

// writeWithRetry calls write until it succeeds, eight times within 7 seconds, even after a stop.
// If every call fails, it logs the error and returns false: a delivery whose outcome is not
// written is repeated.
func (w *Worker) writeWithRetry(ctx context.Context, write func(context.Context) error) bool {
	ctx = context.WithoutCancel(ctx)
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		err := write(ctx)
		if err == nil {
			return true
		}
		if pause > 5*time.Second {
			w.options.Log.Error("the outcome of a delivery could not be written; it will be repeated", "error", err)
			return false
		}
		<-time.After(pause)
	}
}
