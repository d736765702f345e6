package delivery

import (
	"context"
	"sync"
	"time"

	"ativa/internal/provision"
)

const (
	claimSize = 200         // jobs claimed at once
	lease     = time.Minute // after which another worker takes a job over
)

// way is how errands of one kind reach the outside.
type way struct {
	kind   provision.JobKind
	slots  int           // deliveries at once to one destination
	batch  int           // errands whose outcome is written together
	within time.Duration // no delivery takes longer; must be below the lease
	breaks bool          // a destination that fails is left alone for a while
	single bool          // all errands have the same destination

	// first deals with errands that need no destination and returns the rest; may be nil.
	first func(context.Context, []provision.Errand) ([]provision.Errand, error)
	// to names the destination; "" when there is none any more.
	to func(provision.Errand) string
	// deliver hands one errand over; see [Permanent] and [Failure] for its errors.
	deliver func(context.Context, provision.Errand) error
	// again says how long a failed job waits, and whether it is worth it.
	again func(j provision.Job, age time.Duration) (time.Duration, bool)
	// after does what an attempt means beyond the job; err is nil when it was
	// delivered, dead when it is given up. May be nil.
	after func(ctx context.Context, e provision.Errand, err error, dead bool) error
	// idle is called when a destination has nothing to do; may be nil.
	idle func()
}

// lane claims the jobs of one kind and hands each to the desk of its destination.
type lane struct {
	*way
	w    *Worker
	wake chan struct{}

	mu    sync.Mutex
	desks map[string]*desk
}

func newLane(w *Worker, way *way) *lane {
	return &lane{way: way, w: w, wake: make(chan struct{}, 1), desks: map[string]*desk{}}
}

// nudge tells the lane that there may be something to claim; it never blocks.
func (l *lane) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lane) desk(name string) *desk {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, ok := l.desks[name]
	if !ok {
		d = &desk{lane: l, name: name, usual: 50 * time.Millisecond}
		l.desks[name] = d
	}
	return d
}

func (l *lane) run(ctx context.Context) {
	for ctx.Err() == nil {
		more, err := l.round(ctx)
		if err != nil && ctx.Err() == nil {
			l.w.o.Log.Error("delivery", "kind", l.kind.String(), "error", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-l.wake:
		case <-time.After(poll):
		}
	}
}

// round claims once and hands out; more says that there may be more at once.
// It never waits for a destination: what one cannot take now goes back.
func (l *lane) round(ctx context.Context) (more bool, err error) {
	n := claimSize
	if l.single {
		n = l.desk("").free()
	}
	if n == 0 {
		return false, nil
	}
	errands, err := l.w.outbox.Claim(ctx, l.kind, n, lease)
	if err != nil || len(errands) == 0 {
		return false, err
	}
	rest := errands
	if l.first != nil {
		if rest, err = l.first(context.WithoutCancel(ctx), errands); err != nil {
			return false, err
		}
	}
	var back, done []provision.Job
	for _, e := range rest {
		to := l.to(e)
		if to == "" && !l.single {
			done = append(done, finished(l.w.outbox, e.Job))
			continue
		}
		if until, ok := l.desk(to).accept(ctx, e); !ok {
			e.Job.NextAt = until
			back = append(back, e.Job)
		}
	}
	if len(done) > 0 {
		l.w.persist(ctx, func(ctx context.Context) error { return l.w.outbox.Finish(ctx, done) })
	}
	l.giveBack(ctx, back)
	return true, nil
}

// giveBack returns claimed jobs until their NextAt, as if never claimed.
func (l *lane) giveBack(ctx context.Context, jobs []provision.Job) {
	if len(jobs) > 0 {
		l.w.persist(ctx, func(ctx context.Context) error { return l.w.outbox.Postpone(ctx, jobs) })
	}
}

func finished(o Outbox, j provision.Job) provision.Job {
	j.State, j.NextAt, j.LastError = provision.JobDone, o.Now(), ""
	return j
}
