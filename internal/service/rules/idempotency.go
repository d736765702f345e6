package rules

import (
	"context"
	"crypto/sha256"

	"ativa/internal/service/domain"
)

// IdempotencyKey makes a write safe to repeat: the write happens once, and a repetition gets the
// results of the first call (decisions.md 5). The results are stored in the transactions of the
// write, one part for each, and encrypted with Secret, so that only a repetition of the same request
// can read them.
type IdempotencyKey struct {
	Key         [32]byte // hash of key and route; the store keeps providers apart
	Fingerprint [32]byte // hash of the request
	Secret      [32]byte // derived from the request; not stored
	// Repeated is set if all results of the call come from an earlier one.
	Repeated bool
}

var errKeyReused = &domain.Error{Code: domain.IdempotencyKeyReused, Message: "the idempotency key was used before for another request"}

// once runs fn in a transaction, at most once per idempotency key, and returns its result. A
// repetition returns the stored result.
func once[T any](ctx context.Context, e *Engine, call Call, fn func(context.Context, *unitOfWork) (T, error)) (result T, err error) {
	earlier, err := e.writePart(ctx, call, 0, func(ctx context.Context, u *unitOfWork) (any, error) {
		result, err = fn(ctx, u)
		return result, err
	})
	if earlier != nil {
		call.IdempotencyKey.Repeated = true
		err = earlier(&result)
	}
	return result, err
}

// writePart writes one part of a request: the elements after the first done ones, or all. It stores
// the results of fn, which must not be changed afterwards, under the call's idempotency key, unless
// they are nil. If an earlier call has stored the results of this part, writePart writes nothing and
// returns the function that reads them.
func (e *Engine) writePart(ctx context.Context, call Call, done int, fn func(context.Context, *unitOfWork) (results any, err error)) (earlier func(results any) error, err error) {
	k := call.IdempotencyKey
	if call.DryRun {
		k = nil
	}
	err = e.write(ctx, call, func(ctx context.Context, u *unitOfWork) (err error) {
		if k != nil {
			// An earlier response is no error, so that the transaction commits and waits until the data
			// it read is replicated.
			if earlier, err = k.earlierResults(ctx, u.tx, done); err != nil || earlier != nil {
				u.repeated = true
				return err
			}
		}
		results, err := fn(ctx, u)
		if err != nil || k == nil || results == nil {
			return err
		}
		return u.tx.SaveResponse(ctx, domain.StoredResponse{Key: k.partKey(done), Fingerprint: k.Fingerprint, Secret: k.Secret, Results: results,
			Subscriber: u.onlySubscriber, CreatedAt: u.now})
	})
	if err != nil {
		return nil, err
	}
	return earlier, nil
}

// earlierResults returns the function that reads the results of a part, or nil if no earlier call
// stored them.
func (k *IdempotencyKey) earlierResults(ctx context.Context, tx Tx, done int) (read func(results any) error, err error) {
	stored, found, err := tx.StoredResponse(ctx, k.partKey(done))
	switch {
	case err != nil || !found:
		return nil, err
	case stored.Fingerprint != k.Fingerprint:
		return nil, errKeyReused
	case stored.Open == nil:
		return nil, &domain.Error{Code: domain.SubscriberNotFound, Message: "this request was carried out before; its answer was erased with the subscriber"}
	}
	return func(results any) error { return stored.Open(k.Secret, results) }, nil
}

// partKey returns the key under which the results of the part after the first done elements are
// stored. Retention deletes the first part before the others, which must then belong neither to other
// elements nor to another request.
func (k *IdempotencyKey) partKey(done int) [32]byte {
	key := append([]byte{'p', 'a', 'r', 't', byte(done >> 8), byte(done)}, k.Key[:]...)
	if done > 0 {
		key = append(key, k.Fingerprint[:]...)
	}
	return sha256.Sum256(key)
}
