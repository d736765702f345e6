package store

import (
	"context"
	"sync"
	"time"

	"ativa/internal/provision"
)

// providerQueues let the writes of one provider wait for each other in this process
// rather than in the database: they are serial anyhow, a lane takes one
// connection however many wait in it, and those who wait share a commit.
type providerQueues struct {
	commit    func(*writeQueue, []*write)
	timeSlice time.Duration // of turns
	mu        sync.Mutex
	waiting   map[provision.ProviderID]*writeQueue // with an entry while the lane is served
	running   sync.WaitGroup
	closed    bool
}

// submit waits for the write's turn in the provider's lane and for the commit.
// Writes of no provider wait for nobody.
func (l *providerQueues) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	u := newWrite(ctx, p, fn)
	if err := l.enqueue(u); err != nil {
		return err
	}
	if p == 0 {
		l.commit(newWriteQueue(), []*write{u})
		l.running.Done()
	}
	return <-u.result
}

func (l *providerQueues) enqueue(u *write) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return unavailable("the database is closed", nil)
	}
	if u.provider == 0 {
		l.running.Add(1)
		return nil
	}
	t, served := l.waiting[u.provider]
	if !served {
		t = newWriteQueue()
		t.timeSlice = l.timeSlice
	}
	if err := t.add(u); err != nil || served {
		return err
	}
	if l.waiting == nil {
		l.waiting = map[provision.ProviderID]*writeQueue{}
	}
	l.waiting[u.provider] = t
	l.running.Go(func() { l.serve(u.provider, t) })
	return nil
}

// serve commits who waits in a lane until it is empty.
func (l *providerQueues) serve(p provision.ProviderID, t *writeQueue) {
	for {
		group := l.nextGroup(p, t)
		if len(group) == 0 {
			return
		}
		l.commit(t, group)
	}
}

func (l *providerQueues) nextGroup(p provision.ProviderID, t *writeQueue) []*write {
	l.mu.Lock()
	defer l.mu.Unlock()
	group := t.takeGroup()
	if len(group) == 0 {
		delete(l.waiting, p)
	}
	return group
}

// count is how many writes wait for their turn.
func (l *providerQueues) count() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.waiting {
		n += t.length()
	}
	return n
}

// close ends after the waiting writes.
func (l *providerQueues) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.running.Wait()
}
