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
	// backgroundEvery is how many commits with requests of people pass before
	// a background write that waits is taken into one.
	backgroundEvery = 4
	// slice is how long a commit works on while others wait, about.
	slice = 20 * time.Millisecond
)

// turns decides which writes that wait are committed next. A commit takes small
// writes, of each provider in turn, and the next part of one large write, of
// each provider in turn. So nobody waits for another's large write, but for a
// part of it, and a large write is never passed over. Background writes are
// committed when nothing else waits, and now and then when something does.
type turns struct {
	mu         sync.Mutex
	arrived    sync.Cond
	small      byProvider
	large      byProvider
	background byProvider
	passed     int // commits since the last background write, while one waits
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
	if u.priority == provision.Small && len(in.waiting[u.provider]) >= maxWaiting {
		return unavailable("too many writes are waiting", nil)
	}
	in.add(u)
	t.arrived.Signal()
	return nil
}

func (t *turns) of(p provision.Priority) *byProvider {
	switch p {
	case provision.Large:
		return &t.large
	case provision.Background:
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

// next puts the large write last: it ends when others wait.
func (t *turns) next() (group []*write) {
	for t.small.count > 0 && len(group) < groupSize {
		group = append(group, t.small.next())
	}
	people := len(group) > 0 || t.large.count > 0
	switch {
	case !people:
		t.passed = 0
		for t.background.count > 0 && len(group) < groupSize {
			group = append(group, t.background.next())
		}
	case t.background.count == 0:
		t.passed = 0
	case t.passed < backgroundEvery:
		t.passed++
	default:
		t.passed = 0
		group = append(group, t.background.next())
	}
	if t.large.count > 0 {
		group = append(group, t.large.next())
	}
	return group
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
