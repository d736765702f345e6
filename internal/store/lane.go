package store

import (
	"context"
	"sync"

	"ativa/internal/provision"
)

// lanes let the writes of one provider wait for each other in this process
// rather than in the database: they are serial anyhow, a lane takes one
// connection however many wait in it, and those who wait share a commit.
type lanes struct {
	commit  func([]*write)
	mu      sync.Mutex
	waiting map[provision.ProviderID][]*write // with an entry while the lane is served
	running sync.WaitGroup
	closed  bool
}

// submit waits in the provider's lane and for the commit. Writes of no
// provider wait for nobody.
func (l *lanes) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	u := &write{ctx: ctx, provider: p, fn: fn, result: make(chan error, 1)}
	if err := l.enter(u); err != nil {
		return err
	}
	if p == 0 {
		l.commit([]*write{u})
		l.running.Done()
	}
	return <-u.result
}

func (l *lanes) enter(u *write) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return unavailable("the database is closed", nil)
	}
	queue, served := l.waiting[u.provider]
	if len(queue) >= maxWaiting {
		return unavailable("too many writes are waiting", nil)
	}
	if u.provider == 0 {
		l.running.Add(1)
		return nil
	}
	if l.waiting == nil {
		l.waiting = map[provision.ProviderID][]*write{}
	}
	l.waiting[u.provider] = append(queue, u)
	if !served {
		l.running.Go(func() { l.serve(u.provider) })
	}
	return nil
}

// serve commits who waits in a lane until it is empty.
func (l *lanes) serve(p provision.ProviderID) {
	for {
		group := l.next(p)
		if len(group) == 0 {
			return
		}
		l.commit(group)
	}
}

func (l *lanes) next(p provision.ProviderID) []*write {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := l.waiting[p]
	if len(queue) == 0 {
		delete(l.waiting, p)
		return nil
	}
	n := min(len(queue), groupSize)
	l.waiting[p] = queue[n:]
	return queue[:n:n]
}

// count is how many writes wait for their turn.
func (l *lanes) count() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, queue := range l.waiting {
		n += len(queue)
	}
	return n
}

// close ends after the waiting writes.
func (l *lanes) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.running.Wait()
}
