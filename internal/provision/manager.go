package provision

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Options are the settings of the rules. The zero value of a field means its default.
type Options struct {
	Clock          func() time.Time // returns the present time; default time.Now
	Wake           func()           // called after a commit that added due jobs; must not block
	WakeFeed       func()           // called after a commit that added events; must not block
	ConfirmTimeout time.Duration    // how long a partner may take before it is asked again; default 24 h
	MaxAttempts    int              // how often a partner is asked before the operation times out; default 4
	Retention      RetentionPeriods // how long old rows are kept
	ActivationTTL  time.Duration    // after which an activation that nobody completes fails; default never
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Wake == nil {
		o.Wake = func() {}
	}
	if o.WakeFeed == nil {
		o.WakeFeed = func() {}
	}
	o.ConfirmTimeout = cmp.Or(o.ConfirmTimeout, 24*time.Hour)
	o.MaxAttempts = cmp.Or(o.MaxAttempts, 4)
	o.Retention = o.Retention.withDefaults()
	return o
}

// Manager runs the use cases. It is safe for concurrent use.
type Manager struct {
	Queries
	store   Store
	options Options

	bearers bearerCache
	bulk    bulkRequests
	used    struct { // when tokens were used, to be written
		sync.Mutex
		tokens map[TokenID]time.Time
	}
	refused struct { // how many requests were refused, to be written
		sync.Mutex
		counts map[RecordEntry]int
	}
}

// NewManager returns a Manager that uses store. The caller closes the store.
func NewManager(store Store, o Options) *Manager {
	return &Manager{Queries: store, store: store, options: o.withDefaults()}
}

// Now returns the present time in UTC, to the microsecond that the store and
// the API keep.
func (m *Manager) Now() time.Time { return m.options.Clock().UTC().Truncate(time.Microsecond) }

// Call says for whom, and how, a use case runs.
type Call struct {
	Provider       ProviderID
	Actor          Actor           // "": ActorProvider
	Token          TokenID         // that the provider acts with
	DryRun         bool            // return the results, which are as of one moment, and change nothing
	IdempotencyKey *IdempotencyKey // nil: none

	part int // of a request that takes several transactions
}

// write runs fn in a transaction of the caller's provider, writes the changes
// of the unit of work and promotes queued activations. What fn returns is stored under
// the caller's idempotency key, unless it is nil, and must not be changed afterwards. It
// returns a [*repeatedError] when the key was used before for the same request.
func (m *Manager) write(ctx context.Context, call Call, fn func(context.Context, *unitOfWork) (results any, err error)) error {
	if call.DryRun {
		return m.store.View(ctx, call.Provider, func(ctx context.Context, tx Tx) error {
			_, err := fn(ctx, newUnitOfWork(m, tx, call))
			return err
		})
	}
	urgent := !IsBulk(ctx)
	var newJobs, newEvents bool
	var repeated func(results any) error
	err := m.store.Update(ctx, call.Provider, func(ctx context.Context, tx Tx) (err error) {
		// Without an error, so that the commit waits until what was read is replicated, too.
		if repeated, err = call.storedPart(ctx, tx); err != nil || repeated != nil {
			return err
		}
		u := newUnitOfWork(m, tx, call)
		u.urgent = urgent
		results, err := fn(ctx, u)
		if err != nil {
			return err
		}
		if err := call.storePart(ctx, u, results); err != nil {
			return err
		}
		err = u.finish(ctx)
		newJobs, newEvents = u.provider.Jobs > tx.Provider().Jobs, u.provider.Events > tx.Provider().Events
		return err
	})
	switch {
	case err != nil:
		return err
	case repeated != nil:
		return &repeatedError{repeated}
	}
	if newJobs {
		m.options.Wake()
	}
	if newEvents {
		m.options.WakeFeed()
	}
	return nil
}
