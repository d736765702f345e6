package rules

import (
	"context"
	"errors"
	"slices"

	"ativa/internal/service/domain"
)

const (
	// chunkSize is the number of elements processed before checking whether other writes wait. A
	// chunk takes some 15 ms, about as long as they wait.
	chunkSize = 400
	bulkSize  = 50 // requests of at least this many elements are bulk
)

// splitRequest is a request of many atomic elements. It is processed in chunks:
// in one transaction while no other write waits, else in several. What one transaction commits is
// a part. With an idempotency key, the results of a part are stored with its changes, so that a
// repetition after a crash continues after the last part and returns the results of the first
// call.
type splitRequest[R outcome] struct {
	call     Call
	elements int
	// processChunk processes the elements from len(done) to end, exclusive, and returns their
	// results. done holds the results of the elements before.
	processChunk func(ctx context.Context, u *unitOfWork, done []R, end int) ([]R, error)

	results []R  // of everything committed, including by an earlier call with the same key
	stored  int  // number of results that are stored under the key
	begun   bool // this call has committed a part
}

// outcome is the result of one element.
type outcome interface{ failed() bool }

// run processes the request.
func (p *splitRequest[R]) run(ctx context.Context, e *Engine) ([]R, error) {
	if p.elements >= bulkSize && !domain.IsBulk(ctx) {
		ctx = domain.WithBulk(ctx)
	}
	for len(p.results) < p.elements {
		if err := p.next(ctx, e); err != nil {
			return p.results, err
		}
		ctx = context.WithoutCancel(ctx) // a request that has begun is completed
	}
	if p.call.IdempotencyKey != nil {
		p.call.IdempotencyKey.Repeated = !p.begun
	}
	return p.results, nil
}

// next processes the next part, or reads its results from an earlier call.
func (p *splitRequest[R]) next(ctx context.Context, e *Engine) error {
	var all []R
	var mustStore bool
	earlier, err := e.writePart(ctx, p.call, p.stored, func(ctx context.Context, u *unitOfWork) (part any, err error) {
		if all, err = p.processPart(ctx, u); err != nil {
			return nil, err
		}
		if mustStore = p.mustStore(u, all); mustStore {
			part = all[p.stored:]
		}
		return part, nil
	})
	switch {
	case err != nil:
		return err
	case earlier != nil:
		var part []R
		if err := earlier(&part); err != nil {
			return err
		}
		all, mustStore = slices.Concat(p.results[:p.stored], part), true
	default:
		p.begun = true
	}
	p.results = all
	if mustStore {
		p.stored = len(all)
	}
	return nil
}

// processPart processes chunks until the request is complete or other writes wait, and returns the
// results so far. A dry run takes one chunk, because it writes nothing that a later chunk could
// read.
func (p *splitRequest[R]) processPart(ctx context.Context, u *unitOfWork) ([]R, error) {
	all := slices.Clip(p.results)
	for len(all) < p.elements {
		end := min(len(all)+chunkSize, p.elements)
		if u.call.DryRun {
			end = p.elements
		}
		more, err := p.processChunk(ctx, u, all, end)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
		if end == p.elements || u.tx.OthersWait() {
			break
		}
		if err := u.flush(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mustStore reports whether the results so far must be stored: after a part that changed
// something, and at the end of a request with at least one success. A repetition may process all
// other elements again.
func (p *splitRequest[R]) mustStore(u *unitOfWork, all []R) bool {
	if before := u.tx.Provider(); u.touched || u.provider.Events > before.Events || u.provider.Schedules > before.Schedules {
		return true
	}
	return len(all) == p.elements && slices.ContainsFunc(all, func(r R) bool { return !r.failed() })
}

// refusedLater returns err as an *Error, and whether it refuses the whole request after part of it
// was committed. It then becomes the result of every remaining element.
func refusedLater(err error, done int) (*domain.Error, bool) {
	refused, ok := errors.AsType[*domain.Error](err)
	return refused, ok && done > 0 && refused.Code != domain.Unavailable
}
