package store

import (
	"context"
	"slices"
	"sync"

	"ativa/internal/service/domain"
)

const (
	groupSize  = 16  // maximum number of small writes in one transaction
	maxWaiting = 256 // maximum number of waiting small writes of one provider; more are refused at once
)

// writeQueue holds the writes that wait for one writer in two FIFO queues: small writes of
// single requests, and bulk writes. A bulk request queues again after a chunk of its elements
// if others wait, so that all get their turn. It is safe for concurrent use.
type writeQueue struct {
	mu       sync.Mutex
	arrived  sync.Cond
	small    []*write
	bulk     []*write
	waiting  map[domain.ProviderID]int // number of small writes
	bulkNext bool                      // small writes ran before a waiting bulk write
	bulkSize int                       // maximum number of bulk writes in one transaction
	closed   bool
}

func newWriteQueue(bulkSize int) *writeQueue {
	q := &writeQueue{waiting: map[domain.ProviderID]int{}, bulkSize: bulkSize}
	q.arrived.L = &q.mu
	return q
}

// add queues a write. It refuses a small write with Unavailable if maxWaiting of its provider wait.
// There are no more bulk writes than requests in progress, and a request that has begun must be able to
// finish.
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

// next blocks until a write waits and returns the writes of the next transaction: small ones, or
// one bulk write. It returns none once the queue is closed and empty.
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

// takeAfterBulk removes and returns the writes that may join a transaction of size writes after a
// bulk write of the provider: the small ones or, if nothing else waits, the provider's next bulk
// write.
func (q *writeQueue) takeAfterBulk(p domain.ProviderID, size int) []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.small) == 0 && len(q.bulk) > 0 && !q.anotherBulkWaits(p) && size < q.bulkSize {
		next := q.bulk[0]
		q.bulk = q.bulk[1:]
		return []*write{next}
	}
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

// othersWait reports whether a bulk request of the provider should commit and queue again, because
// small writes or bulk writes of other providers wait.
func (q *writeQueue) othersWait(p domain.ProviderID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.small) > 0 || q.anotherBulkWaits(p)
}

// anotherBulkWaits reports whether a bulk write waits that is of another provider or must not run in a
// transaction. The caller holds mu.
func (q *writeQueue) anotherBulkWaits(p domain.ProviderID) bool {
	return slices.ContainsFunc(q.bulk, func(w *write) bool { return w.provider != p || w.outside != nil })
}

// length returns the number of waiting writes.
func (q *writeQueue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.small) + len(q.bulk)
}

// close refuses further writes; the waiting ones are still returned by next.
func (q *writeQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.arrived.Broadcast()
}

// write is one write that waits in a queue.
type write struct {
	ctx      context.Context
	provider domain.ProviderID // 0: a write of no provider
	bulk     bool
	fn       func(context.Context, *tx) error
	outside  func() error // used instead of fn for what must not run in a transaction; bulk writes only
	err      error        // of the last attempt to run it
	result   chan error   // receives one value, after the commit
}

func newWrite(ctx context.Context, p domain.ProviderID, fn func(context.Context, *tx) error) *write {
	return &write{ctx: ctx, provider: p, bulk: domain.IsBulk(ctx), fn: fn, result: make(chan error, 1)}
}

// wait queues a write and returns its result.
func (w *write) wait(add func(*write) error) error {
	if err := add(w); err != nil {
		return err
	}
	return <-w.result
}

// report sends each write of a transaction its result. err is the error of the transaction, nil
// after the commit, and where the name of the database.
func report(group []*write, err error, where string) {
	for _, w := range group {
		if err != nil {
			w.err = err
		}
		w.result <- explain(where, w.err)
	}
}
