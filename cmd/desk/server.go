package desk

import (
	"context"
	"errors"
	"sync"
	"time"

	"ativa/internal/api"
	"ativa/internal/client"
	"ativa/internal/support"
)

// maxFound is how many subscribers a search shows: whoever has more types more.
const maxFound = 100

// server is what the desk asks of the service. Every call may take long, so none
// is made from Update, and each ends with its context.
type server interface {
	// Find returns the subscribers that a term means, up to maxFound.
	Find(ctx context.Context, term string) ([]api.Subscriber, error)
	// Read returns all that is known of the subscriber with the document.
	Read(ctx context.Context, document string) (*record, error)
	// Perform carries out a step that the person has confirmed.
	Perform(ctx context.Context, s support.Step) (support.Outcome, error)
	// Update changes fields of the subscriber with the document; Register adds one.
	Update(ctx context.Context, document string, u api.SubscriberUpdate) error
	Register(ctx context.Context, s api.SubscriberCreate) error
	// Catalog is what the server offers, and the token allows.
	Catalog(ctx context.Context) (*support.Catalog, error)
	// Changes waits for what happens after the cursor; the empty one is now. Where
	// the server has no event feed it only looks whether the server answers, and the
	// cursor stays empty.
	Changes(ctx context.Context, cursor string) (changes, error)
}

// record is what the card shows of one subscriber.
type record struct {
	*support.Overview
	explanations []support.Explanation // in the order of the services
}

// changes are the documents with new events, and where to go on.
type changes struct {
	documents []string
	cursor    string
}

// service is the server behind a client. What does not depend on a subscriber is
// read once.
type service struct {
	client *client.Client
	wait   time.Duration // how long the server may hold an answer of the event feed
	clock  func() time.Time

	mutex   sync.Mutex
	catalog *support.Catalog
}

func (s *service) Find(ctx context.Context, term string) ([]api.Subscriber, error) {
	return support.Find(ctx, s.client, term, maxFound)
}

func (s *service) Read(ctx context.Context, document string) (*record, error) {
	catalog, err := s.Catalog(ctx)
	if err != nil {
		return nil, err
	}
	o, err := support.ReadOverview(ctx, s.client, catalog, document, s.clock())
	if err != nil {
		return nil, err
	}
	// What the server would refuse is not offered. Where it does not answer that, it
	// refuses in its own words.
	_ = errors.Join(o.CheckChanges(ctx, s.client), o.CheckActivations(ctx, s.client))
	return &record{Overview: o, explanations: o.Explain()}, nil
}

// Catalog reads the catalogue unless it is known. Two that begin at once may
// both read it, and neither waits for the other, whose context may end.
func (s *service) Catalog(ctx context.Context) (*support.Catalog, error) {
	s.mutex.Lock()
	known := s.catalog
	s.mutex.Unlock()
	if known != nil {
		return known, nil
	}
	read, err := support.ReadCatalog(ctx, s.client)
	if err != nil {
		return nil, err
	}
	token, err := s.client.AccessToken(ctx)
	if err != nil {
		return nil, err
	}
	read.Scopes = token.Scopes
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.catalog = read
	return read, nil
}

func (s *service) Perform(ctx context.Context, step support.Step) (support.Outcome, error) {
	return support.Perform(ctx, s.client, step)
}

func (s *service) Changes(ctx context.Context, cursor string) (changes, error) {
	has, err := s.client.HasExtension(ctx, api.ExtEvents)
	if err != nil {
		return changes{}, err
	}
	if !has { // the smallest list tells at least whether the server is there
		_, err := s.client.Statuses(ctx)
		return changes{}, err
	}
	if cursor == "" {
		page, err := s.client.Events(ctx, api.AfterLatest, 1, 0)
		return changes{cursor: page.Next}, err
	}
	page, err := s.client.Events(ctx, cursor, api.MaxEvents, s.wait)
	if err != nil {
		return changes{}, err
	}
	next := changes{cursor: page.Next}
	for _, event := range page.Events {
		next.documents = append(next.documents, string(event.Value.Document))
	}
	return next, nil
}
