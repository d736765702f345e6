package delivery

import (
	"context"
	"errors"
	"sync"
	"time"
	"unicode/utf8"

	"ativa/internal/provision"
)

const (
	ahead    = 4 * time.Second // how much work a desk keeps waiting
	slack    = 3 * time.Second // between the end of a delivery and that of its lease
	maxError = 300             // bytes of an error that are kept
)

// desk delivers the errands of one destination, a few at a time. Its circuit
// keeps it from a destination that does not work.
type desk struct {
	*lane
	name string

	mu      sync.Mutex
	queue   []provision.Errand
	running int
	circuit circuit
	usual   time.Duration // how long a delivery takes, a moving average
	later   time.Time     // when the last errand that found no room comes back
}

// accept takes an errand over, or says when it is worth coming again.
func (d *desk) accept(ctx context.Context, e provision.Errand) (until time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.w.outbox.Now()
	if len(d.queue) >= d.room() {
		return d.comeBack(now), false
	}
	if until, ok := d.circuit.admit(now); !ok {
		return d.spread(until, now), false
	}
	d.queue = append(d.queue, e)
	if d.running < d.slots {
		d.running++
		d.w.under.Go(func() { d.run(ctx) })
	}
	return time.Time{}, true
}

// room is how many errands may wait here: as much as is done soon, so that
// none outlives its lease.
func (d *desk) room() int {
	n := int(time.Duration(d.slots) * ahead / d.usual)
	return min(max(n, d.slots), claimSize)
}

// free is how many errands the desk would accept now.
func (d *desk) free() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := max(d.room()-len(d.queue), 0)
	if !d.circuit.open() {
		return n
	}
	if d.circuit.probing || d.w.outbox.Now().Before(d.circuit.until) {
		return 0
	}
	return min(n, 1)
}

// comeBack plans the errands that found no room at the pace of the destination.
func (d *desk) comeBack(now time.Time) time.Time {
	pace := d.usual / time.Duration(d.slots)
	soonest := now.Add(max(time.Second, pace*time.Duration(len(d.queue))))
	if d.later = d.later.Add(pace); d.later.Before(soonest) {
		d.later = soonest
	}
	if latest := now.Add(time.Minute); d.later.After(latest) {
		d.later = latest
	}
	return d.later
}

// spread keeps the errands that wait for a probe from coming back all at once.
func (d *desk) spread(until, now time.Time) time.Time {
	ahead := min(max(until.Sub(now), 0), 30*time.Second)
	return until.Add(time.Duration(d.w.o.Random() * float64(ahead) / 2))
}

// run delivers until nothing waits.
func (d *desk) run(ctx context.Context) {
	for {
		batch, back, last := d.next(ctx)
		d.giveBack(ctx, back)
		if last && d.idle != nil {
			d.idle()
		}
		if len(batch) == 0 {
			return
		}
		var jobs []provision.Job
		for _, e := range batch {
			if j, ok := d.carry(ctx, e); ok {
				jobs = append(jobs, j)
			}
		}
		d.w.persist(ctx, func(ctx context.Context) error { return d.w.outbox.Finish(ctx, jobs) })
		if d.single {
			d.nudge()
		}
	}
}

// next takes what is to be delivered next off the queue, and what is to be
// given back. When there is nothing to deliver, the caller has ended; last says
// that nobody else is at it.
func (d *desk) next(ctx context.Context) (batch []provision.Errand, back []provision.Job, last bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.w.outbox.Now()
	stopped := ctx.Err() != nil
	broken := d.circuit.open() && !d.circuit.probing
	for len(d.queue) > 0 && len(batch) < d.batch {
		e := d.queue[0]
		d.queue = d.queue[1:]
		if !stopped && !broken && e.NextAt.Sub(now) >= d.within+slack {
			batch = append(batch, e)
			continue
		}
		e.Job.NextAt = now
		if broken {
			e.Job.NextAt = d.spread(d.circuit.until, now)
		}
		back = append(back, e.Job)
	}
	if len(batch) > 0 {
		return batch, back, false
	}
	if len(back) > 0 {
		d.circuit.release()
	}
	d.running--
	return nil, back, d.running == 0
}

// carry delivers one errand and says what becomes of its job; false when the
// rules could not be told, so that the job must be delivered again.
func (d *desk) carry(ctx context.Context, e provision.Errand) (provision.Job, bool) {
	ctx = context.WithoutCancel(ctx) // what was begun is finished
	attempt, cancel := context.WithTimeout(ctx, d.within)
	defer cancel()
	began := time.Now()
	err := d.deliver(attempt, e)
	took := time.Since(began)
	d.note(err, took)
	j, dead := d.verdict(e.Job, err)
	d.w.figures.count(d.kind, j.State, took)
	if err != nil {
		d.w.o.Log.Warn("delivery failed", "kind", d.kind.String(), "delivery", j.ID.String(), "attempt", j.Attempts+1, "state", j.State.String(), "error", j.LastError)
	}
	if d.after == nil {
		return j, true
	}
	told := false
	d.w.persist(ctx, func(ctx context.Context) error {
		err := d.after(ctx, e, err, dead)
		told = err == nil
		return err
	})
	return j, told
}

// note lets the circuit and the pace of the desk learn from an attempt.
func (d *desk) note(err error, took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.usual = max((7*d.usual+took)/8, time.Millisecond)
	if !d.breaks {
		return
	}
	f, ok := errors.AsType[*Failure](err)
	if !ok || !f.Down {
		d.circuit.succeed() // the destination works, even if it refused this one
		return
	}
	now := d.w.outbox.Now()
	d.circuit.fail(now, 1+d.w.o.Random()/5)
	if f.RetryAfter > 0 {
		d.circuit.hold(now.Add(f.RetryAfter))
	}
}

// verdict is what becomes of a job after an attempt.
func (d *desk) verdict(j provision.Job, err error) (provision.Job, bool) {
	if err == nil {
		return finished(d.w.outbox, j), false
	}
	now := d.w.outbox.Now()
	j.LastError = shortened(err.Error())
	wait, worth := d.again(j, now.Sub(j.CreatedAt))
	if _, ok := errors.AsType[*Permanent](err); ok || !worth {
		j.State, j.NextAt = provision.JobDead, now
		return j, true
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		wait = max(wait, f.RetryAfter)
	}
	j.State, j.NextAt = provision.JobDue, now.Add(time.Duration(float64(wait)*(1+d.w.o.Random()/10)))
	return j, false
}

// shortened is as much of a text as is kept, cut between two characters.
func shortened(s string) string {
	if len(s) <= maxError {
		return s
	}
	end := maxError
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
