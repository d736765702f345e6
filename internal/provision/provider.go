package provision

import (
	"context"
	"strings"
	"time"
)

// Provider is an internet provider, the tenant of everything else.
type Provider struct {
	ID          ProviderID
	Name        string
	Limit       int  // active tokens at once; never shown to the provider
	Disabled    bool // no token of it is accepted
	AllProducts bool // may sell every product, also later ones
	CreatedAt   time.Time

	ActiveTokens int // services that hold an active token
	Queued       int // services in status limitReached

	Counters
}

// Counters are the provider's counters, from which new ids are taken.
type Counters struct {
	Subscribers int64 // the last subscriber number
	Operations  int64
	Events      int64
	Jobs        int64
}

func (p *Provider) nextSubscriber() SubscriberID {
	p.Subscribers++
	first, _ := p.ID.Subscribers()
	return first + SubscriberID(p.Subscribers)
}

func (p *Provider) nextOperation() OperationID {
	p.Operations++
	return OperationID(p.record(p.Operations))
}

func (p *Provider) nextEvent() EventID {
	p.Events++
	return EventID(p.record(p.Events))
}

func (p *Provider) nextJob() JobID {
	p.Jobs++
	return JobID(p.record(p.Jobs))
}

func (p *Provider) record(n int64) int64 {
	first, _ := p.ID.Records()
	return first + n
}

// slotFree reports whether a new activation may start now: below the limit, and
// never past somebody who is queued.
func (p *Provider) slotFree() bool { return p.Queued == 0 && p.ActiveTokens < p.Limit }

// CreateProvider sets up a provider that may sell the products, with its first
// access token, which is shown once and kept as a hash only.
func (m *Manager) CreateProvider(ctx context.Context, p Provider, products ...int) (Provider, string, error) {
	p.Name = strings.TrimSpace(p.Name)
	if err := firstInvalid(invalidName(p.Name), invalidLimit(p.Limit)); err != nil {
		return Provider{}, "", err
	}
	if err := m.checkProductIDs(ctx, products); err != nil {
		return Provider{}, "", err
	}
	p.CreatedAt = m.Now()
	p, err := m.store.CreateProvider(ctx, p)
	if err == nil {
		err = m.store.Grant(ctx, p.ID, products)
	}
	if err != nil {
		return Provider{}, "", err
	}
	_, secret, err := m.issueToken(ctx, p.ID)
	return p, secret, err
}

// Providers lists all providers by id.
func (m *Manager) Providers(ctx context.Context) ([]Provider, error) { return m.store.Providers(ctx) }

// SetLimit changes the provider's limit of active tokens; when it is raised,
// queued activations start in the order received.
func (m *Manager) SetLimit(ctx context.Context, name string, limit int) (Provider, error) {
	if err := invalidLimit(limit); err != nil {
		return Provider{}, err
	}
	p, err := m.changeProvider(ctx, name, func(p *Provider) { p.Limit = limit })
	for more := p.Queued > 0 && p.ActiveTokens < p.Limit; more && err == nil; {
		more, err = m.promoteFor(ctx, p.ID)
	}
	if err != nil {
		return p, err
	}
	return m.store.ProviderByName(ctx, name)
}

// Disable stops a provider: none of its tokens is accepted, until it is
// enabled again.
func (m *Manager) Disable(ctx context.Context, name string) (Provider, error) {
	return m.changeProvider(ctx, name, func(p *Provider) { p.Disabled = true })
}

// Enable is the opposite of Disable: tokens that were valid are so again.
func (m *Manager) Enable(ctx context.Context, name string) (Provider, error) {
	return m.changeProvider(ctx, name, func(p *Provider) { p.Disabled = false })
}

func (m *Manager) changeProvider(ctx context.Context, name string, change func(*Provider)) (Provider, error) {
	p, err := m.store.ProviderByName(ctx, name)
	if err != nil {
		return p, err
	}
	err = m.write(ctx, Call{Provider: p.ID, Actor: ActorOperator}, func(_ context.Context, u *unitOfWork) (any, error) {
		change(&u.provider)
		return nil, nil
	})
	if err != nil {
		return p, err
	}
	return m.store.ProviderByName(ctx, name)
}

func invalidLimit(n int) *Error {
	if n < 0 {
		return invalid("limit", "0 or more active tokens")
	}
	return nil
}
