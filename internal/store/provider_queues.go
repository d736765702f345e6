package store

import (
	"context"
	"sync"
	"time"

	"ativa/internal/provision"
)

// providerQueues has a write queue for each provider with writes on PostgreSQL.
// Writes of one provider run one after the other in any case; waiting here and
// not for the row lock takes one connection for each provider instead of one
// for each write, and writes that wait share a commit. It is safe for concurrent use.
type providerQueues struct {
	commit    func(*writeQueue, []*write)
	timeSlice time.Duration // of the queues
	mu        sync.Mutex
	waiting   map[provision.ProviderID]*writeQueue // an entry exists while a goroutine serves it
	running   sync.WaitGroup
	closed    bool
}

// submit queues a write and returns when it is committed. A write of no provider
// runs at once.
func (q *providerQueues) submit(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) error {
	w := newWrite(ctx, p, fn)
	if err := q.enqueue(w); err != nil {
		return err
	}
	if p == 0 {
		q.commit(newWriteQueue(), []*write{w})
		q.running.Done()
	}
	return <-w.result
}

func (q *providerQueues) enqueue(w *write) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return unavailable("the database is closed", nil)
	}
	if w.provider == 0 {
		q.running.Add(1)
		return nil
	}
	queue, served := q.waiting[w.provider]
	if !served {
		queue = newWriteQueue()
		queue.timeSlice = q.timeSlice
	}
	if err := queue.add(w); err != nil || served {
		return err
	}
	if q.waiting == nil {
		q.waiting = map[provision.ProviderID]*writeQueue{}
	}
	q.waiting[w.provider] = queue
	q.running.Go(func() { q.serve(w.provider, queue) })
	return nil
}

// serve commits the writes of one queue until it is empty.
func (q *providerQueues) serve(p provision.ProviderID, queue *writeQueue) {
	for {
		group := q.nextGroup(p, queue)
		if len(group) == 0 {
			return
		}
		q.commit(queue, group)
	}
}

func (q *providerQueues) nextGroup(p provision.ProviderID, queue *writeQueue) []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	group := queue.takeGroup()
	if len(group) == 0 {
		delete(q.waiting, p)
	}
	return group
}

// count returns how many writes wait.
func (q *providerQueues) count() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, queue := range q.waiting {
		n += queue.length()
	}
	return n
}

// close refuses further writes and returns when those that wait are committed.
func (q *providerQueues) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.running.Wait()
}
