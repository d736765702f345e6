package store

import (
	"slices"
	"sync"
	"time"

	"ativa/internal/provision"
)

const (
	groupSize  = 16  // how many small writes share one commit, at most
	maxWaiting = 256 // how many small writes of one provider may wait; more are refused at once
	// backgroundEvery is how many commits of people's requests go before those
	// in the background, which wait meanwhile.
	backgroundEvery = 4
	// timeSlice is how long a transaction begins new work while others wait. With
	// the work that is begun then, a commit takes about twice that.
	timeSlice = 10 * time.Millisecond
)

// writeQueue decides which of the writes that wait are committed next: small ones of
// each provider in turn, then a part of one large write, of each provider in
// turn. So nobody waits for more than a part of another's large write, and
// small writes without end stop no large one. Background writes are committed
// when nothing else waits, and now and then when something does.
type writeQueue struct {
	mu         sync.Mutex
	arrived    sync.Cond
	small      roundRobin
	large      roundRobin
	background roundRobin
	largeNext  bool // small writes had their turn
	skipped    int  // commits that went before a background write that waits
	timeSlice  time.Duration
	closed     bool
}

func newWriteQueue() *writeQueue {
	t := &writeQueue{timeSlice: timeSlice}
	t.arrived.L = &t.mu
	return t
}

// add lets a write wait for its turn. Too many of one provider are refused, and
// the caller tries again later; large writes are as few as the requests under
// way, and one that has begun must be able to end.
func (t *writeQueue) add(u *write) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return unavailable("the database is closed", nil)
	}
	in := t.queueOf(u.priority)
	if u.priority == provision.PrioritySmall && len(in.waiting[u.provider]) >= maxWaiting {
		return unavailable("too many writes are waiting", nil)
	}
	in.add(u)
	t.arrived.Signal()
	return nil
}

func (t *writeQueue) queueOf(p provision.Priority) *roundRobin {
	switch p {
	case provision.PriorityLarge:
		return &t.large
	case provision.PriorityBackground:
		return &t.background
	}
	return &t.small
}

// waitForGroup returns the writes of the next commit, and none when the turns are
// closed and nobody waits.
func (t *writeQueue) waitForGroup() []*write {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.total() == 0 && !t.closed {
		t.arrived.Wait()
	}
	return t.nextGroup()
}

// takeGroup is wait for those who do not wait.
func (t *writeQueue) takeGroup() []*write {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.nextGroup()
}

// nextGroup returns what is committed together.
func (t *writeQueue) nextGroup() (group []*write) {
	switch {
	case t.background.count > 0 && (t.skipped >= backgroundEvery || t.small.count+t.large.count == 0):
		t.skipped = 0
		return t.background.takeGroup()
	case t.small.count > 0 && (!t.largeNext || t.large.count == 0):
		group, t.largeNext = t.small.takeGroup(), t.large.count > 0
	case t.large.count > 0:
		group, t.largeNext = []*write{t.large.takeFirst()}, false
	}
	if t.skipped++; t.background.count == 0 {
		t.skipped = 0
	}
	return group
}

// takeSmall returns the small writes that came while a group was at work.
func (t *writeQueue) takeSmall() []*write {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.small.takeGroup()
}

// putBack lets writes of a group wait again, before all others of their provider.
func (t *writeQueue) putBack(group []*write) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, u := range slices.Backward(group) {
		t.queueOf(u.priority).putBack(u)
	}
}

// othersWait reports whether a write should end soon. A large one of the same
// provider gains nothing by that.
func (t *writeQueue) othersWait(u *write) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.small.count > 0 || t.large.count > len(t.large.waiting[u.provider])
}

// yieldFunc returns what tells a write that begins now when to end.
func (t *writeQueue) yieldFunc(u *write) func() bool {
	timeUp := t.startSlice()
	return func() bool { return timeUp() && t.othersWait(u) }
}

// startSlice reports whether a slice of time has passed since it was made.
func (t *writeQueue) startSlice() func() bool {
	began := time.Now()
	return func() bool { return time.Since(began) >= t.timeSlice }
}

// total is how many writes wait. The caller holds mu.
func (t *writeQueue) total() int { return t.small.count + t.large.count + t.background.count }

// length is how many writes wait for their turn.
func (t *writeQueue) length() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total()
}

// close refuses further writes.
func (t *writeQueue) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.arrived.Broadcast()
}

// roundRobin are writes that wait, first come first of each provider, each
// provider in turn.
type roundRobin struct {
	order   []provision.ProviderID // of the turns; those who wait
	waiting map[provision.ProviderID][]*write
	count   int
}

func (q *roundRobin) add(u *write) {
	if q.waiting == nil {
		q.waiting = map[provision.ProviderID][]*write{}
	}
	if len(q.waiting[u.provider]) == 0 {
		q.order = append(q.order, u.provider)
	}
	q.waiting[u.provider] = append(q.waiting[u.provider], u)
	q.count++
}

func (q *roundRobin) putBack(u *write) {
	if len(q.waiting[u.provider]) > 0 {
		q.order = slices.DeleteFunc(q.order, func(p provision.ProviderID) bool { return p == u.provider })
	}
	q.order = slices.Insert(q.order, 0, u.provider)
	q.waiting[u.provider] = slices.Insert(q.waiting[u.provider], 0, u)
	q.count++
}

// takeGroup takes the writes whose turns are next.
func (q *roundRobin) takeGroup() (group []*write) {
	for q.count > 0 && len(group) < groupSize {
		group = append(group, q.takeFirst())
	}
	return group
}

// takeFirst takes the first write of the provider whose turn it is.
func (q *roundRobin) takeFirst() *write {
	p := q.order[0]
	q.order = q.order[1:]
	u := q.waiting[p][0]
	if q.waiting[p] = q.waiting[p][1:]; len(q.waiting[p]) > 0 {
		q.order = append(q.order, p)
	} else {
		delete(q.waiting, p)
	}
	q.count--
	return u
}
