package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"ativa/internal/provision"
)

const (
	groupSize  = 16  // how many small writes share one commit, at most
	maxWaiting = 256 // how many small writes of one provider may wait; more are refused at once
	// backgroundEvery is how many commits of other writes go before one of
	// background writes that wait.
	backgroundEvery = 4
	// timeSlice is how long a transaction starts further work while others wait.
	// What it has started, and its commit, take some milliseconds more.
	timeSlice = 20 * time.Millisecond
)

// writeQueue holds the writes that wait and decides which are committed next:
// up to groupSize small ones, round robin by provider, then one large write,
// also round robin by provider. A small write therefore waits for at most one
// part of a large one, and a stream of small writes does not stop large ones.
// Background writes are committed when nothing else waits, and at the latest
// after backgroundEvery other commits. It is safe for concurrent use.
type writeQueue struct {
	mu         sync.Mutex
	arrived    sync.Cond
	small      roundRobin
	large      roundRobin
	background roundRobin
	largeNext  bool // the last commit was of small writes
	skipped    int  // commits since a background write waits
	timeSlice  time.Duration
	closed     bool
}

func newWriteQueue() *writeQueue {
	q := &writeQueue{timeSlice: timeSlice}
	q.arrived.L = &q.mu
	return q
}

// add appends a write. It refuses a small write with Unavailable when maxWaiting
// of the provider wait; large writes are as few as the requests in progress, and
// one that has started must be able to finish.
func (q *writeQueue) add(w *write) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return unavailable("the database is closed", nil)
	}
	in := q.queueOf(w.priority)
	if w.priority == provision.PrioritySmall && len(in.waiting[w.provider]) >= maxWaiting {
		return unavailable("too many writes are waiting", nil)
	}
	in.add(w)
	q.arrived.Signal()
	return nil
}

// wait adds a write and returns its result.
func (q *writeQueue) wait(w *write) error {
	if err := q.add(w); err != nil {
		return err
	}
	return <-w.result
}

func (q *writeQueue) queueOf(p provision.Priority) *roundRobin {
	switch p {
	case provision.PriorityLarge:
		return &q.large
	case provision.PriorityBackground:
		return &q.background
	}
	return &q.small
}

// waitForGroup blocks until a write waits and returns the writes of the next
// commit; none once the queue is closed and empty.
func (q *writeQueue) waitForGroup() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.total() == 0 && !q.closed {
		q.arrived.Wait()
	}
	return q.nextGroup()
}

// takeGroup returns the writes of the next commit without blocking; none when
// the queue is empty.
func (q *writeQueue) takeGroup() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.nextGroup()
}

// nextGroup removes and returns the writes of the next commit. The caller holds mu.
func (q *writeQueue) nextGroup() (group []*write) {
	switch {
	case q.background.count > 0 && (q.skipped >= backgroundEvery || q.small.count+q.large.count == 0):
		q.skipped = 0
		return q.background.takeGroup()
	case q.small.count > 0 && (!q.largeNext || q.large.count == 0):
		group, q.largeNext = q.small.takeGroup(), q.large.count > 0
	case q.large.count > 0:
		group, q.largeNext = []*write{q.large.takeFirst()}, false
	}
	if q.skipped++; q.background.count == 0 {
		q.skipped = 0
	}
	return group
}

// takeSmall removes and returns up to groupSize small writes, to commit them
// together with a large one.
func (q *writeQueue) takeSmall() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.small.takeGroup()
}

// putBack returns writes of a group to the front of their providers' queues.
func (q *writeQueue) putBack(group []*write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range slices.Backward(group) {
		q.queueOf(w.priority).putBack(w)
	}
}

// othersWait reports whether a large write should commit and give way: to small
// writes, or to large ones of other providers.
func (q *writeQueue) othersWait(w *write) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.small.count > 0 || q.large.count > len(q.large.waiting[w.provider])
}

// yieldFunc returns a function that reports whether a write that starts now has
// used its time while others wait.
func (q *writeQueue) yieldFunc(w *write) func() bool {
	timeUp := q.startSlice()
	return func() bool { return timeUp() && q.othersWait(w) }
}

// startSlice returns a function that reports whether timeSlice has passed since
// this call.
func (q *writeQueue) startSlice() func() bool {
	began := time.Now()
	return func() bool { return time.Since(began) >= q.timeSlice }
}

// total returns how many writes wait. The caller holds mu.
func (q *writeQueue) total() int { return q.small.count + q.large.count + q.background.count }

// length returns how many writes wait.
func (q *writeQueue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total()
}

// close refuses further writes; those that wait are still handed out.
func (q *writeQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.arrived.Broadcast()
}

// roundRobin are writes that wait, first come first of each provider, each
// provider in turn.
type roundRobin struct {
	order   []provision.ProviderID // of the turns; those who wait
	waiting map[provision.ProviderID][]*write
	count   int
}

func (q *roundRobin) add(w *write) {
	if q.waiting == nil {
		q.waiting = map[provision.ProviderID][]*write{}
	}
	if len(q.waiting[w.provider]) == 0 {
		q.order = append(q.order, w.provider)
	}
	q.waiting[w.provider] = append(q.waiting[w.provider], w)
	q.count++
}

func (q *roundRobin) putBack(w *write) {
	if len(q.waiting[w.provider]) > 0 {
		q.order = slices.DeleteFunc(q.order, func(p provision.ProviderID) bool { return p == w.provider })
	}
	q.order = slices.Insert(q.order, 0, w.provider)
	q.waiting[w.provider] = slices.Insert(q.waiting[w.provider], 0, w)
	q.count++
}

// takeGroup removes and returns the next writes, up to groupSize.
func (q *roundRobin) takeGroup() (group []*write) {
	for q.count > 0 && len(group) < groupSize {
		group = append(group, q.takeFirst())
	}
	return group
}

// takeFirst removes and returns the first write of the provider whose turn it is.
func (q *roundRobin) takeFirst() *write {
	p := q.order[0]
	q.order = q.order[1:]
	w := q.waiting[p][0]
	if q.waiting[p] = q.waiting[p][1:]; len(q.waiting[p]) > 0 {
		q.order = append(q.order, p)
	} else {
		delete(q.waiting, p)
	}
	q.count--
	return w
}

// write is one unit of work that waits in a queue.
type write struct {
	ctx      context.Context
	provider provision.ProviderID // 0: a write of no provider
	priority provision.Priority
	fn       func(context.Context, *tx) error
	outside  func() error // instead of fn: what must not run in a transaction; of large writes only
	err      error        // of the last attempt to run it
	result   chan error   // receives one value, after the commit
}

func newWrite(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) *write {
	return &write{ctx: ctx, provider: p, priority: provision.PriorityFrom(ctx), fn: fn, result: make(chan error, 1)}
}
