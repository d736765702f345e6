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
	// slice is how long a transaction begins new work while others wait. With
	// the work that is begun then, a commit takes about twice that.
	slice = 10 * time.Millisecond
)

// turns decides which of the writes that wait are committed next: small ones of
// each provider in turn, then a part of one large write, of each provider in
// turn. So nobody waits for more than a part of another's large write, and
// small writes without end stop no large one. Background writes are committed
// when nothing else waits, and now and then when something does.
type turns struct {
	mu         sync.Mutex
	arrived    sync.Cond
	small      byProvider
	large      byProvider
	background byProvider
	largeNext  bool // small writes had their turn
	passed     int  // commits that went before a background write that waits
	slice      time.Duration
	closed     bool
}

func newTurns() *turns {
	t := &turns{slice: slice}
	t.arrived.L = &t.mu
	return t
}

// add lets a write wait for its turn. Too many of one provider are refused, and
// the caller tries again later; large writes are as few as the requests under
// way, and one that has begun must be able to end.
func (t *turns) add(u *write) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return unavailable("the database is closed", nil)
	}
	in := t.of(u.priority)
	if u.priority == provision.PrioritySmall && len(in.waiting[u.provider]) >= maxWaiting {
		return unavailable("too many writes are waiting", nil)
	}
	in.add(u)
	t.arrived.Signal()
	return nil
}

func (t *turns) of(p provision.Priority) *byProvider {
	switch p {
	case provision.PriorityLarge:
		return &t.large
	case provision.PriorityBackground:
		return &t.background
	}
	return &t.small
}

// wait returns the writes of the next commit, and none when the turns are
// closed and nobody waits.
func (t *turns) wait() []*write {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.count() == 0 && !t.closed {
		t.arrived.Wait()
	}
	return t.next()
}

// take is wait for those who do not wait.
func (t *turns) take() []*write {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next()
}

// next returns what is committed together.
func (t *turns) next() (group []*write) {
	switch {
	case t.background.count > 0 && (t.passed >= backgroundEvery || t.small.count+t.large.count == 0):
		t.passed = 0
		return t.background.some()
	case t.small.count > 0 && (!t.largeNext || t.large.count == 0):
		group, t.largeNext = t.small.some(), t.large.count > 0
	case t.large.count > 0:
		group, t.largeNext = []*write{t.large.next()}, false
	}
	if t.passed++; t.background.count == 0 {
		t.passed = 0
	}
	return group
}

// late returns the small writes that came while a group was at work.
func (t *turns) late() []*write {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.small.some()
}

// putBack lets writes of a group wait again, before all others of their provider.
func (t *turns) putBack(group []*write) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, u := range slices.Backward(group) {
		t.of(u.priority).putBack(u)
	}
}

// othersWait reports whether a write should end soon. A large one of the same
// provider gains nothing by that.
func (t *turns) othersWait(u *write) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.small.count > 0 || t.large.count > len(t.large.waiting[u.provider])
}

// yield returns what tells a write that begins now when to end.
func (t *turns) yield(u *write) func() bool {
	timeUp := t.timer()
	return func() bool { return timeUp() && t.othersWait(u) }
}

// timer reports whether a slice of time has passed since it was made.
func (t *turns) timer() func() bool {
	began := time.Now()
	return func() bool { return time.Since(began) >= t.slice }
}

// count is how many writes wait. The caller holds mu.
func (t *turns) count() int { return t.small.count + t.large.count + t.background.count }

// waiting is how many writes wait for their turn.
func (t *turns) waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count()
}

// close refuses further writes.
func (t *turns) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.arrived.Broadcast()
}

// byProvider are writes that wait, first come first of each provider, each
// provider in turn.
type byProvider struct {
	order   []provision.ProviderID // of the turns; those who wait
	waiting map[provision.ProviderID][]*write
	count   int
}

func (q *byProvider) add(u *write) {
	if q.waiting == nil {
		q.waiting = map[provision.ProviderID][]*write{}
	}
	if len(q.waiting[u.provider]) == 0 {
		q.order = append(q.order, u.provider)
	}
	q.waiting[u.provider] = append(q.waiting[u.provider], u)
	q.count++
}

func (q *byProvider) putBack(u *write) {
	if len(q.waiting[u.provider]) > 0 {
		q.order = slices.DeleteFunc(q.order, func(p provision.ProviderID) bool { return p == u.provider })
	}
	q.order = slices.Insert(q.order, 0, u.provider)
	q.waiting[u.provider] = slices.Insert(q.waiting[u.provider], 0, u)
	q.count++
}

// some takes the writes whose turns are next.
func (q *byProvider) some() (group []*write) {
	for q.count > 0 && len(group) < groupSize {
		group = append(group, q.next())
	}
	return group
}

// next takes the first write of the provider whose turn it is.
func (q *byProvider) next() *write {
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
