package store

import (
	"sync"

	"ativa/internal/service/domain"
)

// providerQueues has a queue and a goroutine for each provider that has written to PostgreSQL.
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

// run runs a write and returns its result. A write without a provider does not wait for others.
func (q *providerQueues) run(w *write) error {
	queue, err := q.queue(w.provider)
	if err != nil {
		return err
	}
	if w.provider == 0 {
		defer q.running.Done()
		q.commit(queue, []*write{w})
		return <-w.result
	}
	return queue.run(w)
}

// queue returns the queue of a provider. For provider 0 it returns a queue that no goroutine
// serves, and close waits for the caller.
func (q *providerQueues) queue(p domain.ProviderID) (*writeQueue, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, errClosed
	}
	if p == 0 {
		q.running.Add(1)
		return newWriteQueue(1), nil
	}
	queue, known := q.queues[p]
	if !known {
		queue = newWriteQueue(1)
		q.queues[p] = queue
		q.running.Go(func() {
			for group := queue.next(); len(group) > 0; group = queue.next() {
				q.commit(queue, group)
			}
		})
	}
	return queue, nil
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
	for _, queue := range q.queues {
		queue.close()
	}
	q.mu.Unlock()
	q.running.Wait()
}
