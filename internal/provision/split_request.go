package provision

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// chunkSize is how many elements of a request are processed before asking whether
	// other writes wait: they wait for about as long as that takes, some 15 ms.
	chunkSize = 400
	bulkSize  = 50 // the number of elements from which a request is bulk
	// betweenRequests is more than a client takes to send the next request of an import.
	betweenRequests = 100 * time.Millisecond
)

// bulkRequests knows whether bulk requests are processed. It is safe for concurrent use.
type bulkRequests struct {
	mu      sync.Mutex
	running int
	ended   time.Time // when the last one did, by [time.Now], which no clock that is set changes
}

func (b *bulkRequests) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running++
}

func (b *bulkRequests) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running--
	b.ended = time.Now()
}

// Busy reports whether this server processes an import or another request of many
// elements, or did so within the last 100 ms, and the next may be on its way.
func (m *Manager) Busy() bool {
	m.bulk.mu.Lock()
	defer m.bulk.mu.Unlock()
	return m.bulk.running > 0 || time.Since(m.bulk.ended) < betweenRequests
}

// splitRequest is a request of many elements, each of which is atomic. It is
// processed in chunks, in one transaction while no other write waits, else in several; what
// one commits is a part. Under an idempotency key, the results of every part but the last are stored with the
// changes, so that a repetition after a crash continues after the last part and
// returns the results of the first call.
type splitRequest[R any] struct {
	call     Call
	elements int
	// processChunk processes the elements from len(done) to end, exclusive,
	// and returns their results. done are the results of those before.
	processChunk func(ctx context.Context, u *unitOfWork, done []R, end int) ([]R, error)
	committed    progress[R]
}

// progress is how far a splitRequest is.
type progress[R any] struct {
	results       []R
	storedResults int // how many of the results are stored under the key
	storedParts   int // in how many parts
}

// run processes the request.
func (p *splitRequest[R]) run(ctx context.Context, m *Manager) ([]R, error) {
	if p.elements >= bulkSize && !IsBulk(ctx) {
		ctx = WithBulk(ctx)
		m.bulk.begin()
		defer m.bulk.end()
	}
	for {
		var now progress[R]
		err := m.write(ctx, p.call, func(ctx context.Context, u *unitOfWork) (result any, err error) {
			if now, err = p.processPart(ctx, u); err != nil {
				return nil, err
			}
			if len(now.results) < p.elements {
				u.unfinished = true
				return nil, p.storePart(ctx, u, &now)
			}
			return &now.results, nil
		})
		if err != nil || len(now.results) == p.elements {
			return now.results, err
		}
		p.committed = now
		ctx = context.WithoutCancel(ctx) // a request that has begun is completed
	}
}

// processPart processes chunks until the request is complete or others wait. A dry
// run, which writes nothing that a later chunk would see, has one chunk.
func (p *splitRequest[R]) processPart(ctx context.Context, u *unitOfWork) (progress[R], error) {
	now, err := p.resume(ctx, u)
	for err == nil && len(now.results) < p.elements {
		end := min(len(now.results)+chunkSize, p.elements)
		if u.dryRun {
			end = p.elements
		}
		var more []R
		if more, err = p.processChunk(ctx, u, now.results, end); err != nil {
			break
		}
		now.results = append(now.results, more...)
		if end == p.elements || u.tx.OthersWait() {
			break
		}
		err = u.flush(ctx)
	}
	return now, err
}

// resume returns the progress that is committed, also by an earlier call with
// the same key or by another server.
func (p *splitRequest[R]) resume(ctx context.Context, u *unitOfWork) (progress[R], error) {
	now := p.committed
	now.results = slices.Clip(now.results)
	for p.call.storesParts() {
		key := p.call.IdempotencyKey
		stored, found, err := u.tx.StoredResponse(ctx, key.partKey(now.storedParts))
		if err != nil || !found {
			return now, err
		}
		if stored.Fingerprint != key.Fingerprint {
			return now, errKeyReused
		}
		text, err := key.Open(stored.Body)
		if err != nil {
			return now, err
		}
		var more []R
		if err := json.Unmarshal(text, &more); err != nil {
			return now, err
		}
		now.results = append(slices.Clip(now.results[:now.storedResults]), more...)
		now.storedResults, now.storedParts = len(now.results), now.storedParts+1
	}
	return now, nil
}

// storePart stores the results of a part under the key. Those of a part that
// changed nothing are stored with the next part, for a repetition may process
// it again.
func (p *splitRequest[R]) storePart(ctx context.Context, u *unitOfWork, now *progress[R]) error {
	if !p.call.storesParts() || u.provider.Events == u.tx.Provider().Events {
		return nil
	}
	text, err := json.Marshal(now.results[now.storedResults:])
	if err != nil {
		return err
	}
	key := p.call.IdempotencyKey
	sealed, err := key.Seal(text)
	if err != nil {
		return err
	}
	err = u.tx.SaveResponse(ctx, StoredResponse{Key: key.partKey(now.storedParts), Fingerprint: key.Fingerprint, Body: sealed, CreatedAt: u.now})
	now.storedResults, now.storedParts = len(now.results), now.storedParts+1
	return err
}

// refusedLater returns a refusal of the whole request that was decided after
// part of it was committed. It becomes the result of every remaining element.
func refusedLater(err error, done int) (*Error, bool) {
	refused, ok := errors.AsType[*Error](err)
	return refused, ok && done > 0 && refused.Code != Unavailable
}
