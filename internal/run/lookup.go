package run

import (
	"context"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/cpf"
	"ativa/internal/lifecycle"
	"ativa/internal/sheet"
)

// DocumentSet is a set of documents. Each takes eight bytes.
type DocumentSet []uint64

// Add adds a document, with or without punctuation.
func (d *DocumentSet) Add(document string) {
	if n, err := strconv.ParseUint(cpf.OnlyDigits(document), 10, 64); err == nil {
		*d = append(*d, n)
	}
}

// Sort must be called after the last Add.
func (d DocumentSet) Sort() { slices.Sort(d) }

// Has reports whether the set has a document, of digits only.
func (d DocumentSet) Has(document string) bool {
	n, err := strconv.ParseUint(document, 10, 64)
	_, found := slices.BinarySearch(d, n)
	return found && err == nil
}

// ReadDocuments reads the documents of all subscribers. On a server without idempotency keys, only
// they show whether an unanswered request had an effect.
func ReadDocuments(ctx context.Context, c *client.Client) (DocumentSet, error) {
	var all DocumentSet
	for s, err := range c.Subscribers(ctx) {
		if err != nil {
			return nil, err
		}
		all.Add(s.Value.Document)
	}
	all.Sort()
	return all, nil
}

// readsAtOnce limits the concurrent requests of readSubscribers.
const readsAtOnce = 8

// readSubscribers reads the subscriber of each row, nil if the server has none.
func readSubscribers(ctx context.Context, c *client.Client, rows []*sheet.Row) ([]*api.Subscriber, error) {
	found := make([]*api.Subscriber, len(rows))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readsAtOnce)
	for i, row := range rows {
		g.Go(func() (err error) {
			found[i], err = readSubscriber(ctx, c, row.Document)
			return err
		})
	}
	return found, g.Wait()
}

// readSubscriber reads a subscriber, nil if the server has none.
func readSubscriber(ctx context.Context, c *client.Client, document string) (*api.Subscriber, error) {
	s, err := c.Subscriber(ctx, document)
	switch {
	case client.KindOf(err) == client.KindNotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &s.Value, nil
}

// lastService is [api.NewestService] for a result.
func lastService(all []api.Service, product api.Int) (Service, bool) {
	s, found := api.NewestService(all, product)
	return Service{ProductID: product, Status: s.Status, StatusID: s.StatusID}, found
}

// isLive reports whether a service is not cancelled.
func isLive(s api.Service) bool { return !lifecycle.Ended(s.StatusID) }
