package rules

import (
	"context"
	"crypto/sha256"
	"errors"

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

// repeatedError is returned instead of running a write whose idempotency key was already used for
// the same request.
type repeatedError struct{ open func(results any) error } // reads the results of the first call

func (*repeatedError) Error() string { return "already done with this idempotency key" }

var errKeyReused = &domain.Error{Code: domain.IdempotencyKeyReused, Message: "the idempotency key was used before for another request"}

// storedPart returns the function that reads the results of the call's part, or nil if no earlier
// call stored them.
func (c Call) storedPart(ctx context.Context, tx Tx) (open func(results any) error, err error) {
	if c.IdempotencyKey == nil {
		return nil, nil
	}
	stored, found, err := tx.StoredResponse(ctx, c.IdempotencyKey.partKey(c.done))
	if err != nil || !found {
		return nil, err
	}
	if stored.Fingerprint != c.IdempotencyKey.Fingerprint {
		return nil, errKeyReused
	}
	if stored.Open == nil {
		return nil, &domain.Error{Code: domain.SubscriberNotFound, Message: "this request was carried out before; its answer was erased with the subscriber"}
	}
	return func(results any) error { return stored.Open(c.IdempotencyKey.Secret, results) }, nil
}

// storePart stores the results of the call's part under its key; none when they are nil.
func (c Call) storePart(ctx context.Context, u *unitOfWork, results any) error {
	k := c.IdempotencyKey
	if k == nil || results == nil {
		return nil
	}
	return u.tx.SaveResponse(ctx, domain.StoredResponse{Key: k.partKey(c.done), Fingerprint: k.Fingerprint, Secret: k.Secret, Results: results,
		Subscriber: u.onlySubscriber, CreatedAt: u.now})
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

// once runs fn in a transaction, at most once per idempotency key, and returns its result. A
// repetition returns the stored result.
func once[T any](ctx context.Context, e *Engine, call Call, fn func(context.Context, *unitOfWork) (T, error)) (T, error) {
	var result T
	err := e.write(ctx, call, func(ctx context.Context, u *unitOfWork) (any, error) {
		var err error
		result, err = fn(ctx, u)
		return result, err
	})
	if repeated, ok := errors.AsType[*repeatedError](err); ok {
		call.IdempotencyKey.Repeated = true
		err = repeated.open(&result)
	}
	return result, err
}
