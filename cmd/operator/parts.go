package operator

import (
	"context"
	"errors"

	"ativa/internal/service/accounts"
	"ativa/internal/service/outbox"
	"ativa/internal/service/reports"
	"ativa/internal/service/rules"
	"ativa/internal/service/server"
	"ativa/internal/service/store"
)

// Parts holds the components of the service on one database.
type Parts struct {
	Rules    *rules.Engine
	Registry *accounts.Registry
	Tokens   *accounts.Tokens
	Record   *accounts.OperatorRecord
	Queue    *outbox.Queue
	Feeds    *outbox.Feeds
	Reports  *reports.Reports
	Store    *store.DB
}

func newParts(db *store.DB, o rules.Options) *Parts {
	reports := reports.New(db, o.Clock)
	return &Parts{
		Rules: rules.NewEngine(db, o), Registry: accounts.NewRegistry(db, o.Clock),
		Tokens: accounts.NewTokens(db, o.Clock, o.WakeFeed), Record: accounts.NewOperatorRecord(db, o.Clock), Reports: reports,
		Queue: outbox.NewQueue(db, o.Clock), Feeds: outbox.NewFeeds(db, reports, o.Clock), Store: db,
	}
}

// server returns the parts that the API uses.
func (p *Parts) server() server.Parts {
	return server.Parts{Rules: p.Rules, Tokens: p.Tokens, Record: p.Record, Reports: p.Reports, Store: p.Store}
}

// recordUse stores the last use of tokens and the number of refused requests.
func (p *Parts) recordUse(ctx context.Context) error {
	return errors.Join(p.Tokens.RecordTokenUse(ctx), p.Record.RecordRefused(ctx))
}
