package provision

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// Options are the settings of the rules; the zero value of each means its default.
type Options struct {
	Clock          func() time.Time // the time; default time.Now
	Wake           func()           // called after a commit that left jobs due; must not block
	ConfirmTimeout time.Duration    // how long a partner may take before it is asked again; default 24 h
	MaxAttempts    int              // how often a partner is asked before the operation times out; default 4
	Retention      RetentionPeriods // how long things are kept that have served their time
	ActivationTTL  time.Duration    // after which an activation that nobody completes fails; default never
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Wake == nil {
		o.Wake = func() {}
	}
	o.ConfirmTimeout = cmp.Or(o.ConfirmTimeout, 24*time.Hour)
	o.Retention = o.Retention.withDefaults()
	if o.MaxAttempts == 0 {
		o.MaxAttempts = 4
	}
	return o
}

// Manager runs the use cases. It is safe for concurrent use.
type Manager struct {
	store   Store
	options Options

	pending struct { // the reports that ApplyReports looks at next
		sync.Mutex
		after PartnerEvent
	}
}

// NewManager returns a Manager over a store, which the caller closes.
func NewManager(store Store, o Options) *Manager {
	return &Manager{store: store, options: o.withDefaults()}
}

// now is the time at which a change happens, to the microsecond that the
// store and the API keep.
func (m *Manager) now() time.Time { return m.options.Clock().UTC().Truncate(time.Microsecond) }

// Call says on whose behalf, and how, a use case runs.
type Call struct {
	Provider       ProviderID
	Actor          Actor           // "" is ActorProvider
	DryRun         bool            // answer as if done, and change nothing
	IdempotencyKey *IdempotencyKey // nil: no idempotency key
}

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

var errDryRun = errors.New("dry run")

// write runs fn in a transaction of the caller's provider, writes what it did,
// starts queued activations that have room now, and records the answer under
// the caller's idempotency key. It returns a *Replay when the key was used
// before with the same request.
func (m *Manager) write(ctx context.Context, call Call, fn func(context.Context, *unitOfWork) (result any, err error)) error {
	var jobs bool
	err := m.store.Update(ctx, call.Provider, func(ctx context.Context, tx Tx) error {
		if err := call.replay(ctx, tx); err != nil {
			return err
		}
		u := newUnitOfWork(m, tx, call.Actor)
		result, err := fn(ctx, u)
		if err != nil {
			return err
		}
		if err := u.finish(ctx); err != nil {
			return err
		}
		jobs = u.madeJobs
		if call.DryRun {
			return errDryRun
		}
		return call.record(ctx, u, result)
	})
	if call.DryRun && errors.Is(err, errDryRun) {
		return nil
	}
	if err == nil && jobs {
		m.options.Wake()
	}
	return err
}

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
