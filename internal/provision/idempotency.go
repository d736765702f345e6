package provision

import (
	"context"
	"crypto/sha256"
	"time"
)

// RepeatedRequestError is returned instead of running a write again: the key of the call
// was used before with the same body. Answer is what Once.Encode returned then.
type RepeatedRequestError struct {
	Response []byte
}

// Error says that the call was answered before.
func (r *RepeatedRequestError) Error() string { return "already done with this idempotency key" }

// IdempotencyKey makes a write happen at most once for an idempotency key (decisions.md 5).
type IdempotencyKey struct {
	Key         [32]byte // hash of the key and of what it is for
	Fingerprint [32]byte // hash of the request
	// Encode turns the result into the answer that a repetition gets; it runs
	// in the transaction. A nil answer is not stored.
	Encode func(result any) ([]byte, error)
	// Seal and Open keep the results of a part of a request that is done in
	// several; where they are nil, a repetition does every part anew.
	Seal, Open func([]byte) ([]byte, error)
}

// StoredResponse is the sealed answer of a write that had an idempotency key.
type StoredResponse struct {
	Key         [32]byte     // hash of the key
	Fingerprint [32]byte     // hash of the request
	Body        []byte       // opaque; empty: erased with the subscriber it was about
	Subscriber  SubscriberID // 0: about none, or about several
	CreatedAt   time.Time
}

var errKeyReused = &Error{Code: IdempotencyKeyReused, Message: "the idempotency key was used before for another request"}

func (c Call) replay(ctx context.Context, tx Tx) error {
	if c.IdempotencyKey == nil || c.DryRun {
		return nil
	}
	stored, found, err := tx.StoredResponse(ctx, c.IdempotencyKey.Key)
	if err != nil || !found {
		return err
	}
	if stored.Fingerprint != c.IdempotencyKey.Fingerprint {
		return errKeyReused
	}
	if len(stored.Body) == 0 {
		return &Error{Code: SubscriberNotFound, Message: "this request was carried out before; its answer was erased with the subscriber"}
	}
	return &RepeatedRequestError{Response: stored.Body}
}

func (c Call) record(ctx context.Context, u *unitOfWork, result any) error {
	if c.IdempotencyKey == nil || result == nil && u.unfinished {
		return nil
	}
	answer, err := c.IdempotencyKey.Encode(result)
	if err != nil || answer == nil {
		return err
	}
	return u.tx.SaveResponse(ctx, StoredResponse{Key: c.IdempotencyKey.Key, Fingerprint: c.IdempotencyKey.Fingerprint, Body: answer, Subscriber: u.onlySubscriber, CreatedAt: u.now})
}

func (c Call) storesParts() bool {
	return c.IdempotencyKey != nil && c.IdempotencyKey.Seal != nil && !c.DryRun
}

// partKey is what the results of part n are stored under.
func (o *IdempotencyKey) partKey(n int) [32]byte {
	return sha256.Sum256(append([]byte{'p', 'a', 'r', 't', byte(n >> 8), byte(n)}, o.Key[:]...))
}
