package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ativa/internal/service/domain"
)

// Options configures an [Engine]. The zero value of a field selects its default.
type Options struct {
	Clock          domain.Clock  // default time.Now
	Wake           func()        // called after a commit that added due deliveries; must not block
	WakeFeed       func()        // called after a commit that added events; must not block
	ConfirmTimeout time.Duration // how long a partner may take to confirm before it is asked again; default 24 h
	MaxAttempts    int           // how often a partner is asked before the operation times out; default 4
	ActivationTTL  time.Duration // after which an uncompleted activation fails; default never
	LeaveRequests  bool          // Expire of another engine sends the requests to partners, with its own ConfirmTimeout
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
	return o
}

// Engine runs the use cases that change subscribers and their services. It is safe for concurrent
// use.
type Engine struct {
	store   Store
	options Options
}

// NewEngine returns an Engine that uses store. The caller closes the store.
func NewEngine(store Store, o Options) *Engine {
	return &Engine{store: store, options: o.withDefaults()}
}

// Now returns the current time.
func (e *Engine) Now() time.Time { return e.options.Clock.Now() }

// Call says for whom, and how, a use case runs.
type Call struct {
	Provider       domain.ProviderID
	Actor          domain.Actor    // "": ActorProvider
	Token          domain.TokenID  // access token that the provider used
	DryRun         bool            // return the results, all from one snapshot, and change nothing
	IdempotencyKey *IdempotencyKey // nil: none
}

// write runs fn in a transaction of the caller's provider, writes the changes of the unit of work
// and promotes queued activations. A dry run only reads.
func (e *Engine) write(ctx context.Context, call Call, fn func(context.Context, *unitOfWork) error) error {
	if call.DryRun {
		return e.store.View(ctx, call.Provider, func(ctx context.Context, tx Tx) error {
			return fn(ctx, newUnitOfWork(e, tx, call))
		})
	}
	urgent := !domain.IsBulk(ctx)
	var newDeliveries, newEvents bool
	err := e.store.Update(ctx, call.Provider, func(ctx context.Context, tx Tx) error {
		u := newUnitOfWork(e, tx, call)
		u.urgent = urgent
		if err := fn(ctx, u); err != nil || u.repeated {
			return err
		}
		err := u.finish(ctx)
		newDeliveries, newEvents = u.provider.Deliveries > tx.Provider().Deliveries, u.provider.Events > tx.Provider().Events
		return err
	})
	if err != nil {
		return err
	}
	if newDeliveries {
		e.options.Wake()
	}
	if newEvents {
		e.options.WakeFeed()
	}
	return nil
}

// maxDue is the number of due elements that performDue reads at once.
const maxDue = 500

// performDue runs fn on everything that is due, by provider as writeEach does. list returns up to
// maxDue due elements and skips the providers in except. These are the providers that have failed,
// so that their elements do not hold up those of others.
func performDue[T any](ctx context.Context, e *Engine, list func(except []domain.ProviderID) ([]T, error),
	of func(T) domain.ProviderID, fn func(*unitOfWork, context.Context, []T) error) (err error) {
	var except []domain.ProviderID
	for more := true; more; {
		due, failed := list(except)
		if failed != nil {
			return errors.Join(err, failed)
		}
		failing, failed := writeEach(ctx, e, due, of, fn)
		except, err = append(except, failing...), errors.Join(err, failed)
		more = len(due) == maxDue || len(failing) > 0
	}
	return err
}

// writeEach groups all by provider and runs fn once for each provider, as the system, in a
// transaction of that provider. A provider that fails does not stop the others. writeEach returns
// the providers that failed or do not exist; a provider that does not exist is no error.
func writeEach[T any](ctx context.Context, e *Engine, all []T, of func(T) domain.ProviderID, fn func(*unitOfWork, context.Context, []T) error) (failing []domain.ProviderID, err error) {
	byProvider := map[domain.ProviderID][]T{}
	for _, v := range all {
		byProvider[of(v)] = append(byProvider[of(v)], v)
	}
	for _, p := range slices.Sorted(maps.Keys(byProvider)) {
		failed := e.write(ctx, Call{Provider: p, Actor: domain.ActorSystem}, func(ctx context.Context, u *unitOfWork) error {
			return fn(u, ctx, byProvider[p])
		})
		if failed == nil {
			continue
		}
		failing = append(failing, p)
		if !domain.IsCode(failed, domain.NotFound) {
			err = errors.Join(err, fmt.Errorf("provider %d: %w", p, failed))
		}
	}
	return failing, err
}
