package operator

import (
	"context"
	"errors"

	"ativa/internal/service/rules"
	"ativa/internal/service/server"
	"ativa/internal/service/store"
)

// Parts are the parts of the service, on one database.
type Parts struct {
	Rules     *rules.Engine
	Registry  *rules.Registry
	Callbacks *rules.CallbackRegistry
	Tokens    *rules.Tokens
	Record    *rules.OperatorRecord
	Queue     *rules.Queue
	Feeds     *rules.Feeds
	Reports   *rules.Reports
	Store     *store.DB
}

func newParts(db *store.DB, o rules.Options) *Parts {
	reports := rules.NewReports(db, o.Clock)
	return &Parts{
		Rules: rules.NewEngine(db, o), Registry: rules.NewRegistry(db, o.Clock), Callbacks: rules.NewCallbackRegistry(db, o.Clock),
		Tokens: rules.NewTokens(db, o.Clock, o.WakeFeed), Record: rules.NewOperatorRecord(db, o.Clock), Reports: reports,
		Queue: rules.NewQueue(db, o.Clock, o.Wake), Feeds: rules.NewFeeds(db, reports, o.Clock), Store: db,
	}
}

// server returns the parts that the API uses.
func (p *Parts) server() server.Parts {
	return server.Parts{Rules: p.Rules, Tokens: p.Tokens, Record: p.Record, Reports: p.Reports, Store: p.Store}
}

// recordUse writes when tokens were used, and how many requests were refused.
func (p *Parts) recordUse(ctx context.Context) error {
	return errors.Join(p.Tokens.RecordTokenUse(ctx), p.Record.RecordRefused(ctx))
}
