// Package support holds what commands and desk share from finding a subscriber to acting:
// search, explanations of services, the operations allowed now, and performing them.
//
// It works on any server with the API; extensions are used where the server has them. It
// refuses to know terminals, flags and prompts: its texts are messages, translated when
// printed.
package support

import (
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
	// refused are the changes that a dry run refused, by old and new product; for activations
	// the old product is 0.
	refused map[[2]api.Int]bool
}

// ReadOverview reads all that the server reports about a subscriber; now is in the person's time
// zone.
func ReadOverview(ctx context.Context, c *client.Client, k *Catalog, document string, now time.Time) (*Overview, error) {
	s, err := c.Subscriber(ctx, document)
	if err != nil {
		return nil, err
	}
	o := &Overview{Catalog: k, Subscriber: s.Value, Document: document, Now: now, queue: map[api.Int]int{}}
	for _, service := range s.Value.Services {
		if lifecycle.Of(service.StatusID).WaitsFor != lifecycle.WaitsForQueue || !k.Validates {
			continue
		}
		if o.queue[service.ProductID], err = queuePosition(ctx, c, service.ProductID, document); err != nil {
			return nil, err
		}
	}
	if k.History {
		events, err := c.History(ctx, document)
		if err != nil {
			return nil, err
		}
		o.Events = client.Values(events)
	}
	if k.Deliveries {
		sent, err := c.Deliveries(ctx, document)
		if err != nil {
			return nil, err
		}
		o.Sent = client.Values(sent)
	}
	if k.Schedule {
		if o.Scheduled, err = Waiting(ctx, c, document); err != nil {
			return nil, err
		}
	}
	return o, nil
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

// mostChecked is the maximum number of dry runs for a card.
const mostChecked = 20

// CheckChanges finds by dry runs which changes the server would refuse, so that
// [Overview.ChangeTargets] omits them. It does nothing for more than mostChecked products.
func (o *Overview) CheckChanges(ctx context.Context, c *client.Client) error {
	for i, s := range o.Subscriber.Services {
		if lifecycle.Next(s.StatusID, api.Change) == 0 {
			continue
		}
		err := o.check(s.ProductID, o.ChangeTargets(i), func(to api.Int) (bool, error) {
			_, err := c.ValidateChange(ctx, api.ChangeRequest{ProductID: to, PreviousProductID: s.ProductID, Document: o.Document})
			return false, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckActivations does the same for [Overview.Activations]. An activation that would change
// another product of the family counts as refused: it is offered as a change.
func (o *Overview) CheckActivations(ctx context.Context, c *client.Client) error {
	var products []api.Product
	for _, s := range o.Activations() {
		products = append(products, s.Product)
	}
	return o.check(0, products, func(product api.Int) (bool, error) {
		a, err := c.ValidateProvision(ctx, api.Activate, product, []string{o.Document})
		return slices.ContainsFunc(a.Value.Results, func(r api.BatchResult) bool {
			return r.Result == api.ResultFailed || r.StatusID != nil && *r.StatusID == api.StatusChanged
		}), err
	})
}

// check records which products the server would refuse in place of another one, 0 for none. It
// asks concurrently.
func (o *Overview) check(from api.Int, products []api.Product, refuses func(product api.Int) (bool, error)) error {
	if !o.Validates || len(products) > mostChecked {
		return nil
	}
	refused, errs := make([]bool, len(products)), make([]error, len(products))
	var asked sync.WaitGroup
	for i, p := range products {
		asked.Go(func() { refused[i], errs[i] = refuses(p.ID) })
	}
	asked.Wait()
	if o.refused == nil {
		o.refused = map[[2]api.Int]bool{}
	}
	for i, p := range products {
		isRefused := client.KindOf(errs[i]) == client.KindRefused
		if errs[i] != nil && !isRefused {
			return errs[i]
		}
		o.refused[[2]api.Int{from, p.ID}] = refused[i] || isRefused
	}
	return nil
}
