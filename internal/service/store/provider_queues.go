package store

import (
	"sync"

	"ativa/internal/service/domain"
)

// providerQueues has a queue and a goroutine for each provider that is writing to PostgreSQL.
// Writes of one provider run one after the other in any case. Waiting here rather than for the row
// lock takes one connection per provider instead of one per write, and waiting writes share a
// transaction. Bulk writes do not: other servers wait for the row meanwhile. It is safe for concurrent
// use.
type providerQueues struct {
	commit  func(*writeQueue, []*write)
	mu      sync.Mutex
	queues  map[domain.ProviderID]*writeQueue
	running sync.WaitGroup
	closed  bool
}

// add queues a write. One without a provider does not wait for others.
func (q *providerQueues) add(w *write) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if w.provider == 0 {
		q.running.Go(func() { q.commit(newWriteQueue(1), []*write{w}) })
		return nil
	}
	queue, writing := q.queues[w.provider]
	if !writing {
		queue = newWriteQueue(1)
		q.queues[w.provider] = queue
		q.running.Go(func() {
			for q.continues(w.provider, queue) {
				q.commit(queue, queue.next())
			}
		})
	}
	return queue.add(w)
}

// continues reports whether writes wait in the queue of a provider, and removes an empty queue.
func (q *providerQueues) continues(p domain.ProviderID, queue *writeQueue) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if queue.length() > 0 {
		return true
	}
	delete(q.queues, p)
	return false
}

// count returns the number of waiting writes.
func (q *providerQueues) count() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, queue := range q.queues {
		n += queue.length()
	}
	return n
}

// close refuses further writes and returns when the waiting ones are committed.
func (q *providerQueues) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.running.Wait()
}
