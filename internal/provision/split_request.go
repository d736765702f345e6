package provision

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
)

const (
	// chunkSize is how many elements of a request are written together, before
	// it is asked whether others wait.
	chunkSize = 250
	// largeRequestSize is the number of elements from which on a write is Large.
	largeRequestSize = 50
)

// splitRequest is a request of many elements, of which each is atomic by itself. It is
// done in one transaction when nobody else waits, and else in several. Under an
// idempotency key the results of each part but the last commit with its effect,
// so that a repetition after a crash between two of them goes on where the
// first try ended, with the results of the first.
type splitRequest[R any] struct {
	call     Call
	elements int
	// piece does the elements from len(done) up to to, and returns their results.
	processChunk func(ctx context.Context, u *unitOfWork, done []R, to int) ([]R, error)
	done         committedParts[R]
}

// committedParts are the results of the parts that are committed.
type committedParts[R any] struct {
	results       []R
	storedResults int // how many of them are stored under the key
	storedParts   int // in how many parts
}

// run does the request.
func (p *splitRequest[R]) run(ctx context.Context, m *Manager) ([]R, error) {
	if p.elements >= largeRequestSize && PriorityFrom(ctx) == PrioritySmall {
		ctx = WithPriority(ctx, PriorityLarge)
	}
	for {
		var now committedParts[R]
		err := m.write(ctx, p.call, func(ctx context.Context, u *unitOfWork) (result any, err error) {
			if now, err = p.part(ctx, u); err != nil {
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
		p.done = now
		ctx = context.WithoutCancel(ctx) // what has begun is ended
	}
}

// part does what there is time for in one transaction.
func (p *splitRequest[R]) part(ctx context.Context, u *unitOfWork) (committedParts[R], error) {
	now, err := p.resume(ctx, u)
	for err == nil && len(now.results) < p.elements {
		var more []R
		more, err = p.processChunk(ctx, u, now.results, min(len(now.results)+chunkSize, p.elements))
		if err != nil {
			break
		}
		now.results = append(now.results, more...)
		if len(now.results) < p.elements {
			err = u.flush(ctx)
		}
		if !p.call.DryRun && u.tx.ShouldYield() {
			break
		}
	}
	return now, err
}

// resume returns what is committed so far, also by an earlier try of the
// request or by another server.
func (p *splitRequest[R]) resume(ctx context.Context, u *unitOfWork) (committedParts[R], error) {
	now := p.done
	now.results = slices.Clip(now.results)
	for p.call.storesParts() {
		stored, found, err := u.tx.StoredResponse(ctx, p.call.IdempotencyKey.partKey(now.storedParts))
		if err != nil || !found {
			return now, err
		}
		if stored.Fingerprint != p.call.IdempotencyKey.Fingerprint {
			return now, errKeyReused
		}
		text, err := p.call.IdempotencyKey.Open(stored.Body)
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

// storePart keeps the results of a part under the key. Those of a part without
// effect are kept with the next: a repetition may do it anew.
func (p *splitRequest[R]) storePart(ctx context.Context, u *unitOfWork, now *committedParts[R]) error {
	if !p.call.storesParts() || u.provider.Events == u.tx.Provider().Events {
		return nil
	}
	text, err := json.Marshal(now.results[now.storedResults:])
	if err != nil {
		return err
	}
	sealed, err := p.call.IdempotencyKey.Seal(text)
	if err != nil {
		return err
	}
	once := p.call.IdempotencyKey
	err = u.tx.SaveResponse(ctx, StoredResponse{Key: once.partKey(now.storedParts), Fingerprint: once.Fingerprint, Body: sealed, CreatedAt: u.now})
	now.storedResults, now.storedParts = len(now.results), now.storedParts+1
	return err
}

// refusedLater is a refusal of the whole request that was decided after a part of
// it was done; it becomes that of each element that is left.
func refusedLater(err error, done int) (*Error, bool) {
	refused, ok := errors.AsType[*Error](err)
	return refused, ok && done > 0 && refused.Code != Unavailable
}
