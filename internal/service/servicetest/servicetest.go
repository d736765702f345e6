// Package servicetest puts the parts of the service together for tests. It does not know what a test
// checks.
package servicetest

import (
	"context"
	"errors"
	"time"

	"ativa/internal/service/accounts"
	"ativa/internal/service/domain"
	"ativa/internal/service/outbox"
	"ativa/internal/service/reports"
	"ativa/internal/service/rules"
	"ativa/internal/service/server"
)

// Options configures a [Service].
type Options = rules.Options

// Store has the store methods of all parts of the service.
type Store interface {
	rules.Store
	accounts.RegistryStore
	accounts.TokenStore
	accounts.RecordStore
	reports.Store
	outbox.QueueStore
	outbox.FeedStore
	server.Store
	Providers(context.Context) ([]domain.Provider, error)
	Record(ctx context.Context, since time.Time) ([]domain.RecordEntry, error)
	Purge(context.Context, domain.RetentionCutoffs) error
}

// Service has the methods of all parts of the service, on one database.
type Service struct {
	*rules.Engine
	*accounts.Registry
	*accounts.Tokens
	*accounts.OperatorRecord
	*reports.Reports
	*outbox.Queue
	*outbox.Feeds
	queries
}

// queries are the reads to which no rule applies.
type queries struct{ Store }

// New returns the service on a store, which the caller closes.
func New(store Store, o Options) *Service {
	reports := reports.New(store, o.Clock)
	return &Service{
		Engine: rules.NewEngine(store, o), Registry: accounts.NewRegistry(store, o.Clock), Tokens: accounts.NewTokens(store, o.Clock, o.WakeFeed),
		OperatorRecord: accounts.NewOperatorRecord(store, o.Clock), Reports: reports, Queue: outbox.NewQueue(store, o.Clock), Feeds: outbox.NewFeeds(store, reports, o.Clock),
		queries: queries{store},
	}
}

// Now returns the current time.
func (s *Service) Now() time.Time { return s.Engine.Now() }

// Parts returns the parts that the API uses.
func (s *Service) Parts() server.Parts {
	return server.Parts{Rules: s.Engine, Tokens: s.Tokens, Record: s.OperatorRecord, Reports: s.Reports, Store: s.Store}
}

// Purge deletes rows past the default retention periods.
func (s *Service) Purge(ctx context.Context) error {
	return s.Store.Purge(ctx, domain.RetentionPeriods{}.Cutoffs(s.Now()))
}

// RecordUse writes the last use of tokens and the counts of refused requests.
func (s *Service) RecordUse(ctx context.Context) error {
	return errors.Join(s.RecordTokenUse(ctx), s.RecordRefused(ctx))
}
