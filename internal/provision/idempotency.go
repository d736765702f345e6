package provision

import (
	"context"
	"crypto/sha256"
	"time"
)

// IdempotencyKey makes repeating a write harmless: the write happens once, and
// a repetition gets the response of the first call (decisions.md 5).
type IdempotencyKey struct {
	Key         [32]byte // hash of the key and the route; the store keeps those of each provider apart
	Fingerprint [32]byte // hash of the request
	// Encode turns the result into the response that a repetition gets. It runs
	// in the transaction of the write. A nil response is not stored.
	Encode func(result any) ([]byte, error)
	// Seal encrypts, and Open decrypts, the results of one part of a request
	// that takes several transactions. When they are nil, such results are not
	// stored, and a repetition does every part again.
	Seal, Open func([]byte) ([]byte, error)
}

// StoredResponse is the response of a write that had an idempotency key.
type StoredResponse struct {
	Key         [32]byte     // hash of the key
	Fingerprint [32]byte     // hash of the request
	Body        []byte       // opaque to this package; empty when the subscriber it was about is erased
	Subscriber  SubscriberID // whom it is about; 0: nobody, or several
	CreatedAt   time.Time
}

// RepeatedRequestError is returned instead of running a write again: the
// idempotency key of the call was used before for the same request.
type RepeatedRequestError struct {
	Response []byte // what IdempotencyKey.Encode returned for the first call
}

// Error says that the request was carried out before.
func (r *RepeatedRequestError) Error() string { return "already done with this idempotency key" }

var errKeyReused = &Error{Code: IdempotencyKeyReused, Message: "the idempotency key was used before for another request"}

// checkRepeated returns the response of an earlier call with the same idempotency key.
func (c Call) checkRepeated(ctx context.Context, tx Tx) (*RepeatedRequestError, error) {
	if c.IdempotencyKey == nil {
		return nil, nil
	}
	stored, found, err := tx.StoredResponse(ctx, c.IdempotencyKey.Key)
	if err != nil || !found {
		return nil, err
	}
	if stored.Fingerprint != c.IdempotencyKey.Fingerprint {
		return nil, errKeyReused
	}
	if len(stored.Body) == 0 {
		return nil, &Error{Code: SubscriberNotFound, Message: "this request was carried out before; its answer was erased with the subscriber"}
	}
	return &RepeatedRequestError{Response: stored.Body}, nil
}

// storeResponse stores the response under the call's idempotency key.
func (c Call) storeResponse(ctx context.Context, u *unitOfWork, result any) error {
	if c.IdempotencyKey == nil || result == nil && u.unfinished {
		return nil
	}
	body, err := c.IdempotencyKey.Encode(result)
	if err != nil || body == nil {
		return err
	}
	return u.tx.SaveResponse(ctx, StoredResponse{
		Key: c.IdempotencyKey.Key, Fingerprint: c.IdempotencyKey.Fingerprint, Body: body, Subscriber: u.onlySubscriber, CreatedAt: u.now,
	})
}

// storesParts reports whether the results of each part are stored under the key.
func (c Call) storesParts() bool {
	return c.IdempotencyKey != nil && c.IdempotencyKey.Seal != nil && !c.DryRun
}

// partKey returns the key under which the results of part n are stored.
func (k *IdempotencyKey) partKey(n int) [32]byte {
	return sha256.Sum256(append([]byte{'p', 'a', 'r', 't', byte(n >> 8), byte(n)}, k.Key[:]...))
}
