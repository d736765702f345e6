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

// maxFound is the maximum number of results of a search.
const maxFound = 100

// server is what the desk needs from the service. Calls may be slow, so Update makes none, and
// each ends with its context.
type server interface {
	// Find returns the subscribers that a term matches, up to maxFound.
	Find(ctx context.Context, term string) ([]api.Subscriber, error)
	// Read returns the record of the subscriber with the document.
	Read(ctx context.Context, document string) (*record, error)
	// Perform executes a confirmed step.
	Perform(ctx context.Context, s support.Step) (support.Outcome, error)
	// Update changes fields of the subscriber with the document; Register adds one.
	Update(ctx context.Context, document string, u api.SubscriberUpdate) error
	Register(ctx context.Context, s api.SubscriberCreate) error
	// Catalog returns what the server offers and the token allows.
	Catalog(ctx context.Context) (*support.Catalog, error)
	// Changes waits for events after the cursor; an empty cursor means now. If the server has no
	// event feed, it only checks that the server answers, and the cursor stays empty.
	Changes(ctx context.Context, cursor string) (changes, error)
}

// record is the data of a card.
type record struct {
	*support.Overview
	explanations []support.Explanation // in the order of the services
}

// changes holds the documents with new events, and the next cursor.
type changes struct {
	documents []string
	cursor    string
}

// service is the server behind a client. It caches the catalog.
type service struct {
	client *client.Client
	wait   time.Duration // how long the server may hold a feed response
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
	// Omit what the server would refuse. Without an answer here, it refuses later.
	_ = errors.Join(o.CheckChanges(ctx, s.client), o.CheckActivations(ctx, s.client))
	return &record{Overview: o, explanations: o.Explain()}, nil
}

// Catalog reads the catalog, once. Concurrent first calls may both read it; neither waits for the
// other, whose context may end early.
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
	if !has { // the cheapest request
		_, err := s.client.Statuses(ctx)
		return changes{}, err
	}
	if cursor == "" {
		page, err := s.client.Events(ctx, api.AfterLatest, 1, 0)
		return changes{cursor: page.Next}, err
	}
	page, err := s.client.FollowEvents(ctx, cursor, api.MaxEvents, s.wait)
	if err != nil {
		return changes{}, err
	}
	next := changes{cursor: page.Next}
	for _, event := range page.Events {
		next.documents = append(next.documents, string(event.Value.Document))
	}
	return next, nil
}
