package rules

import (
	"context"
	"strings"
	"time"
)

// Provider is an internet provider: the tenant that owns subscribers and services.
type Provider struct {
	ID          ProviderID
	Name        string
	Limit       int  // maximum number of active tokens; never shown to the provider
	Disabled    bool // its access and bearer tokens are refused
	AllProducts bool // may sell every product, also those added later
	CreatedAt   time.Time

	ActiveTokens int // services that count towards the limit
	Queued       int // services in status limitReached

	Counters
}

// Counters are the last numbers used in a provider's ids.
type Counters struct {
	Subscribers int64
	Operations  int64
	Events      int64
	Jobs        int64
	Schedules   int64
}

func (p *Provider) nextSubscriber() SubscriberID {
	p.Subscribers++
	first, _ := p.ID.Subscribers()
	return first + SubscriberID(p.Subscribers)
}

// NextEvent returns the id of the provider's next event.
func (p *Provider) NextEvent() EventID { return EventID(p.next(&p.Events)) }

func (p *Provider) nextOperation() OperationID { return OperationID(p.next(&p.Operations)) }
func (p *Provider) nextJob() JobID             { return JobID(p.next(&p.Jobs)) }
func (p *Provider) nextSchedule() ScheduleID   { return ScheduleID(p.next(&p.Schedules)) }

// next increments the counter and returns the provider's record id with that number.
func (p *Provider) next(counter *int64) int64 {
	*counter++
	first, _ := p.ID.Records()
	return first + *counter
}

// slotFree reports whether a new activation may start now: the provider is below
// its limit and no activation is queued.
func (p *Provider) slotFree() bool { return p.Queued == 0 && p.ActiveTokens < p.Limit }

// CreateProvider adds a provider that may sell the products. It returns the
// provider with the secret of its first access token, to be shown once.
func (r *Registry) CreateProvider(ctx context.Context, p Provider, products ...int) (Provider, string, error) {
	p.Name = strings.TrimSpace(p.Name)
	if err := firstInvalid(invalidName(p.Name), invalidLimit(p.Limit)); err != nil {
		return Provider{}, "", err
	}
	if err := r.checkProductIDs(ctx, products); err != nil {
		return Provider{}, "", err
	}
	p.CreatedAt = r.clock.Now()
	secret := NewAccessToken()
	p, err := r.store.CreateProvider(ctx, p, products, AccessToken{Name: DefaultTokenName, Scopes: AllScopes, Hash: hashSecret(secret), CreatedAt: p.CreatedAt})
	return p, secret, err
}

// SetLimit changes the provider's limit of active tokens. If that leaves room, queued activations
// start in the order received.
func (e *Engine) SetLimit(ctx context.Context, name string, limit int) (Provider, error) {
	if err := invalidLimit(limit); err != nil {
		return Provider{}, err
	}
	p, err := e.store.ProviderByName(ctx, name)
	if err != nil {
		return p, err
	}
	err = e.write(ctx, Call{Provider: p.ID, Actor: ActorOperator}, func(_ context.Context, u *unitOfWork) (any, error) {
		u.provider.Limit = limit
		return nil, nil
	})
	for more := true; more && err == nil; {
		more, err = e.promoteFor(ctx, p.ID)
	}
	if err != nil {
		return p, err
	}
	return e.store.ProviderByName(ctx, name)
}

func invalidLimit(n int) *Error {
	if n < 0 {
		return invalid("limit", "0 or more active tokens")
	}
	return nil
}
