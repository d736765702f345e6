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

// Now returns the manager's time, for those who plan deliveries.
func (m *Manager) Now() time.Time { return m.now() }
