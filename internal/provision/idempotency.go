package provision

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// IdempotencyKey makes repeating a write harmless: the write happens once, and
// a repetition gets the results of the first call (decisions.md 5). They are stored in
// the transaction of the write, a request of many elements in parts, and sealed with
// Secret, so that only a repetition of the request can read them.
type IdempotencyKey struct {
	Key         [32]byte // hash of the key and the route; the store keeps those of each provider apart
	Fingerprint [32]byte // hash of the request
	Secret      [32]byte // derived from the request; not stored
	// Repeated is set when all results of the call are those of an earlier one.
	Repeated bool
}

// StoredResponse is a part of the results of a write that had an idempotency key.
type StoredResponse struct {
	Key         [32]byte     // hash of the key and the part
	Fingerprint [32]byte     // hash of the request
	Body        []byte       // sealed results; empty when the subscriber they were about is erased
	Subscriber  SubscriberID // whom it is about; 0: nobody, or several
	CreatedAt   time.Time
}

// repeatedError is returned instead of running a write again: its idempotency key
// was used before for the same request.
type repeatedError struct{ sealed []byte } // the results of the first call

func (*repeatedError) Error() string { return "already done with this idempotency key" }

var errKeyReused = &Error{Code: IdempotencyKeyReused, Message: "the idempotency key was used before for another request"}

// storedPart returns the sealed results of the call's part when an earlier call
// stored them, else nil.
func (c Call) storedPart(ctx context.Context, tx Tx) ([]byte, error) {
	if c.IdempotencyKey == nil {
		return nil, nil
	}
	stored, found, err := tx.StoredResponse(ctx, c.IdempotencyKey.partKey(c.part))
	if err != nil || !found {
		return nil, err
	}
	if stored.Fingerprint != c.IdempotencyKey.Fingerprint {
		return nil, errKeyReused
	}
	if len(stored.Body) == 0 {
		return nil, &Error{Code: SubscriberNotFound, Message: "this request was carried out before; its answer was erased with the subscriber"}
	}
	return stored.Body, nil
}

// storePart stores the sealed results of the call's part; none when they are nil.
func (c Call) storePart(ctx context.Context, u *unitOfWork, sealed []byte) error {
	if sealed == nil {
		return nil
	}
	k := c.IdempotencyKey
	return u.tx.SaveResponse(ctx, StoredResponse{Key: k.partKey(c.part), Fingerprint: k.Fingerprint, Body: sealed, Subscriber: u.onlySubscriber, CreatedAt: u.now})
}

// partKey returns the key under which the results of part n are stored.
func (k *IdempotencyKey) partKey(n int) [32]byte {
	return sha256.Sum256(append([]byte{'p', 'a', 'r', 't', byte(n >> 8), byte(n)}, k.Key[:]...))
}

// once runs fn in a transaction, at most once under the call's idempotency key, and
// returns its result, also to a repetition.
func once[T any](ctx context.Context, m *Manager, call Call, fn func(context.Context, *unitOfWork) (T, error)) (T, error) {
	var result T
	err := m.write(ctx, call, func(ctx context.Context, u *unitOfWork) (any, error) {
		var err error
		result, err = fn(ctx, u)
		return result, err
	})
	if repeated, ok := errors.AsType[*repeatedError](err); ok {
		call.IdempotencyKey.Repeated = true
		err = m.sealer.open(call.IdempotencyKey, repeated.sealed, &result)
	}
	return result, err
}
