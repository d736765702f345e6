package store

import (
	"context"
	"slices"
	"sync"

	"ativa/internal/provision"
)

const (
	groupSize  = 16  // how many small writes share one transaction, at most
	maxWaiting = 256 // how many small writes of one provider may wait; more are refused at once
)

// writeQueue holds the writes that wait for one writer, in two queues, each first
// come, first served: small writes, which somebody waits for, and bulk writes. A bulk
// request queues again after a chunk of its elements when others wait, so that all get
// their turn. It is safe for concurrent use.
type writeQueue struct {
	mu       sync.Mutex
	arrived  sync.Cond
	small    []*write
	bulk     []*write
	waiting  map[provision.ProviderID]int // small writes
	bulkNext bool                         // small writes went before a bulk one that waited
	closed   bool
}

func newWriteQueue() *writeQueue {
	q := &writeQueue{waiting: map[provision.ProviderID]int{}}
	q.arrived.L = &q.mu
	return q
}

// run adds a write and returns its result. It refuses a small write with Unavailable
// when maxWaiting of the provider wait. Bulk writes are as few as the requests in
// progress, and a request that has begun must be able to finish.
func (q *writeQueue) run(w *write) error {
	if err := q.add(w); err != nil {
		return err
	}
	return <-w.result
}

func (q *writeQueue) add(w *write) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return errClosed
	case w.bulk:
		q.bulk = append(q.bulk, w)
	case q.waiting[w.provider] >= maxWaiting:
		return unavailable("too many writes are waiting", nil)
	default:
		q.small = append(q.small, w)
		q.waiting[w.provider]++
	}
	q.arrived.Signal()
	return nil
}

var errClosed = unavailable("the database is closed", nil)

// next blocks until a write waits and returns the writes of the next transaction:
// small ones, or one bulk write. None are left once the queue is closed and empty.
func (q *writeQueue) next() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.small)+len(q.bulk) == 0 && !q.closed {
		q.arrived.Wait()
	}
	if len(q.bulk) > 0 && (q.bulkNext || len(q.small) == 0) {
		first := q.bulk[:1]
		q.bulk, q.bulkNext = q.bulk[1:], false
		return first[:1:1]
	}
	q.bulkNext = len(q.bulk) > 0
	return q.removeSmall()
}

// takeSmall removes and returns the small writes that may join a transaction.
func (q *writeQueue) takeSmall() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.removeSmall()
}

// removeSmall removes and returns small writes, up to groupSize. The caller holds mu.
func (q *writeQueue) removeSmall() []*write {
	n := min(len(q.small), groupSize)
	group := q.small[:n:n]
	q.small = q.small[n:]
	for _, w := range group {
		if q.waiting[w.provider]--; q.waiting[w.provider] == 0 {
			delete(q.waiting, w.provider)
		}
	}
	return group
}

// othersWait reports whether a bulk request of the provider should commit and queue
// again: for small writes, or for bulk ones of others.
func (q *writeQueue) othersWait(p provision.ProviderID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.small) > 0 || slices.ContainsFunc(q.bulk, func(w *write) bool { return w.provider != p })
}

// length returns how many writes wait.
func (q *writeQueue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.small) + len(q.bulk)
}

// close refuses further writes; those that wait are still handed out.
func (q *writeQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.arrived.Broadcast()
}

// write is one unit of work that waits in a queue.
type write struct {
	ctx      context.Context
	provider provision.ProviderID // 0: a write of no provider
	bulk     bool
	fn       func(context.Context, *tx) error
	outside  func() error // instead of fn: what must not run in a transaction; of bulk writes only
	err      error        // of the last attempt to run it
	result   chan error   // receives one value, after the commit
}

func newWrite(ctx context.Context, p provision.ProviderID, fn func(context.Context, *tx) error) *write {
	return &write{ctx: ctx, provider: p, bulk: provision.IsBulk(ctx), fn: fn, result: make(chan error, 1)}
}

// report gives each write of a transaction its result. err is that of the
// transaction, nil after the commit.
func report(group []*write, err error, explain func(error) error) {
	for _, w := range group {
		if err != nil {
			w.err = err
		}
		w.result <- explain(w.err)
	}
}
