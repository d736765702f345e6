package provision

import (
	"slices"
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

	Counted int // services that hold an active token
	Queued  int // services in status limitReached

	Numbers
}

// Numbers are the provider's counters, from which new ids are taken.
type Numbers struct {
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

// room reports whether a new activation may start now: below the limit, and
// never past somebody who is queued.
func (p *Provider) room() bool { return p.Queued == 0 && p.Counted < p.Limit }

// Action is something a product allows, a bit of Product.Can.
type Action uint8

// The actions of api.md, in its order.
const (
	CanActivate Action = 1 << iota
	CanReactivate
	CanChangeTo
	CanChangeFrom
	CanSuspend
	CanDeactivate

	CanAll = CanActivate | CanReactivate | CanChangeTo | CanChangeFrom | CanSuspend | CanDeactivate
)

func actionNames() []string {
	return []string{"activate", "reactivate", "change_to_this_product", "change_from_this_product", "suspend", "deactivate"}
}

// Names returns the API's names of the actions, in its order.
func (a Action) Names() []string {
	names := []string{}
	for i, name := range actionNames() {
		if a&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// ParseActions reads the API's names of actions; the error names the first
// unknown one.
func ParseActions(names []string) (Action, error) {
	var all Action
	for _, name := range names {
		i := slices.Index(actionNames(), name)
		if i < 0 {
			return 0, &Error{Code: ValidationFailed, Message: "unknown action " + name}
		}
		all |= 1 << i
	}
	return all, nil
}

// Product is something the service sells to subscribers.
type Product struct {
	ID      int
	Name    string
	Code    string
	Family  string // products of one family replace each other; "" is none
	Active  bool
	Can     Action
	Partner PartnerID // who is asked and confirms; 0 is nobody

	// AsksActivation is filled in when products are read: the partner's
	// driver wants to hear of activations too.
	AsksActivation bool
}

// replaces reports whether a service of old may be changed to p (decisions.md 8, Family).
func (p Product) replaces(old Product) bool {
	return p.Family != "" && p.Family == old.Family && p.ID != old.ID && p.Active &&
		p.Can&CanChangeTo != 0 && old.Can&CanChangeFrom != 0
}

// Driver is how a partner is reached.
type Driver string

// The drivers of decisions.md 8.
const (
	DriverManual    Driver = "manual"    // an operator confirms
	DriverSimulator Driver = "simulator" // confirms by itself after a delay
	DriverHTTP      Driver = "http"      // is called, and calls back
)

// Partner is the third party that carries out operations on products.
type Partner struct {
	ID          PartnerID
	Name        string
	Driver      Driver
	URL         string        // http only
	Delay       time.Duration // simulator only
	FailureRate float64       // simulator only, 0 to 1
	Secret      []byte        // signs both directions (Standard Webhooks); never printed after creation
	CreatedAt   time.Time
}

// InternetSpeed is one entry of the list of speeds.
type InternetSpeed struct {
	ID    int
	Speed string
	Slug  string
}
