// Package support holds what commands and desk share from finding a subscriber to acting:
// search, explanations of services, the operations allowed now, and performing them.
//
// It works on any server with the API; extensions are used where the server has them. It
// refuses to know terminals, flags and prompts: its texts are messages, translated when
// printed.
package support

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/lifecycle"
)

// Catalog holds the products and the server's extensions. They do not depend on a subscriber, so
// one read is enough.
type Catalog struct {
	Products                                   []api.Product
	History, Overdue, Validates, ResendProduct bool
	// Schedule means that the server schedules operations.
	Schedule bool
	// Deliveries means that the server reports the outcomes of its e-mails.
	Deliveries bool
	// Scopes are the token's scopes; empty if unknown.
	Scopes []api.Scope
}

// ReadCatalog reads the catalog. It leaves the scopes to the caller, who knows the token.
func ReadCatalog(ctx context.Context, c *client.Client) (*Catalog, error) {
	products, err := c.Products(ctx)
	if err != nil {
		return nil, err
	}
	k := Catalog{Products: client.Values(products)}
	for extension, has := range map[string]*bool{
		api.ExtHistory: &k.History, api.ExtOverdue: &k.Overdue, api.ExtValidate: &k.Validates, api.ExtResendProduct: &k.ResendProduct, api.ExtDeliveries: &k.Deliveries,
		api.ExtSchedule: &k.Schedule,
	} {
		if *has, err = c.HasExtension(ctx, extension); err != nil {
			return nil, err
		}
	}
	return &k, nil
}

// Product returns the product with the id, and whether it is in the catalogue.
func (c *Catalog) Product(id api.Int) (api.Product, bool) {
	i := slices.IndexFunc(c.Products, func(p api.Product) bool { return p.ID == id })
	if i < 0 {
		return api.Product{}, false
	}
	return c.Products[i], true
}

// Overview is the known state of one subscriber.
type Overview struct {
	*Catalog
	Subscriber api.Subscriber
	// Document is the requested document, digits only: another server may return it with dots,
	// or only a part of it.
	Document string
	// Now is the time of the read, in the person's time zone.
	Now time.Time
	// Events is the history, oldest first; empty if the server keeps none.
	Events []api.Event
	// Sent lists the deliveries with outcomes, newest first; empty if not reported.
	Sent []api.Delivery
	// Scheduled lists the scheduled operations, the next first; empty without server
	// support.
	Scheduled []api.Schedule
	// queue is the position in the queue by product, if the server reports it.
	queue map[api.Int]int
	// refused are the replacements that a dry run refused.
	refused map[replacement]bool
}

// ReadOverview reads all that the server reports about a subscriber; now is in the person's time
// zone. What depends on the subscriber alone is read concurrently.
func ReadOverview(ctx context.Context, c *client.Client, k *Catalog, document string, now time.Time) (*Overview, error) {
	s, err := c.Subscriber(ctx, document)
	if err != nil {
		return nil, err
	}
	o := &Overview{Catalog: k, Subscriber: s.Value, Document: document, Now: now, queue: map[api.Int]int{}}
	reads := []func() error{func() error { return o.readQueue(ctx, c) }}
	if k.History {
		reads = append(reads, func() error {
			events, err := c.History(ctx, document)
			o.Events = client.Values(events)
			return err
		})
	}
	if k.Deliveries {
		reads = append(reads, func() error {
			sent, err := c.Deliveries(ctx, document)
			o.Sent = client.Values(sent)
			return err
		})
	}
	if k.Schedule {
		reads = append(reads, func() (err error) {
			o.Scheduled, err = Waiting(ctx, c, document)
			return err
		})
	}
	return o, concurrently(reads)
}

// concurrently makes calls, up to mostChecked at once, and returns the first error in their order.
func concurrently(calls []func() error) error {
	errs, free := make([]error, len(calls)), make(chan struct{}, mostChecked)
	var all sync.WaitGroup
	for i, call := range calls {
		free <- struct{}{}
		all.Go(func() {
			errs[i] = call()
			<-free
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}

// readQueue reads the positions of the queued services.
func (o *Overview) readQueue(ctx context.Context, c *client.Client) (err error) {
	for _, service := range o.Subscriber.Services {
		if lifecycle.Of(service.StatusID).WaitsFor != lifecycle.WaitsForQueue || !o.Validates {
			continue
		}
		if o.queue[service.ProductID], err = queuePosition(ctx, c, service.ProductID, o.Document); err != nil {
			return err
		}
	}
	return nil
}

// queuePosition returns the queue position that a dry run of another activation reports.
func queuePosition(ctx context.Context, c *client.Client, product api.Int, document string) (int, error) {
	a, err := c.ValidateProvision(ctx, api.Activate, product, []string{document})
	if client.KindOf(err) == client.KindRefused {
		return 0, nil // the product is no longer available
	}
	if err != nil || len(a.Value.Results) == 0 {
		return 0, err
	}
	return a.Value.Results[0].QueuePosition, nil
}

// mostChecked is the maximum number of products that dry runs try for one service, and of dry runs at
// once.
const mostChecked = 20

// replacement is an old product and a new one; for an activation the old one is 0.
type replacement struct{ from, to api.Int }

// replacements returns those by any of the products, none if they are more than mostChecked.
func replacements(from api.Int, products []api.Product) (all []replacement) {
	if len(products) > mostChecked {
		return nil
	}
	for _, p := range products {
		all = append(all, replacement{from, p.ID})
	}
	return all
}

// CheckChanges finds by dry runs which changes the server would refuse, so that
// [Overview.ChangeTargets] omits them.
func (o *Overview) CheckChanges(ctx context.Context, c *client.Client) error {
	var changes []replacement
	for i, s := range o.Subscriber.Services {
		if lifecycle.Next(s.StatusID, api.Change) != 0 {
			changes = append(changes, replacements(s.ProductID, o.ChangeTargets(i))...)
		}
	}
	return o.check(changes, func(r replacement) (bool, error) {
		_, err := c.ValidateChange(ctx, api.ChangeRequest{ProductID: r.to, PreviousProductID: r.from, Document: o.Document})
		return false, err
	})
}

// CheckActivations does the same for [Overview.Activations]. An activation that would change
// another product of the family counts as refused: it is offered as a change.
func (o *Overview) CheckActivations(ctx context.Context, c *client.Client) error {
	var products []api.Product
	for _, s := range o.Activations() {
		products = append(products, s.Product)
	}
	return o.check(replacements(0, products), func(r replacement) (bool, error) {
		a, err := c.ValidateProvision(ctx, api.Activate, r.to, []string{o.Document})
		return slices.ContainsFunc(a.Value.Results, func(r api.BatchResult) bool {
			return r.Result == api.ResultFailed || r.StatusID != nil && *r.StatusID == api.StatusChanged
		}), err
	})
}

// check records which replacements the server would refuse. It asks concurrently.
func (o *Overview) check(all []replacement, refuses func(replacement) (bool, error)) error {
	if !o.Validates {
		return nil
	}
	refused, dryRuns := make([]bool, len(all)), make([]func() error, len(all))
	for i, r := range all {
		dryRuns[i] = func() (err error) {
			if refused[i], err = refuses(r); client.KindOf(err) == client.KindRefused {
				refused[i], err = true, nil
			}
			return err
		}
	}
	if err := concurrently(dryRuns); err != nil {
		return err
	}
	if o.refused == nil {
		o.refused = map[replacement]bool{}
	}
	for i, r := range all {
		o.refused[r] = refused[i]
	}
	return nil
}
