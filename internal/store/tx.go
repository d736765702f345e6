package store

import (
	"context"

	"ativa/internal/provision"
	"ativa/internal/store/searchindex"
)

// tx is a write transaction, bound to one provider or none.
type tx struct {
	querier
	provider     provision.Provider
	indexChanges []searchindex.Change
	yield        func() bool // nil: never
}

func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.execRows(ctx, query, args...)
	return err
}

// lockProvider locks the provider: writes of one provider run one after the other.
func (t *tx) lockProvider(ctx context.Context, id provision.ProviderID) error {
	found, err := queryRow(ctx, t, `SELECT `+providerColumns+` FROM provider WHERE id = ?`+t.dialect().forUpdate, []any{id}, func(r row) error { return scanProvider(r, &t.provider) })
	if err == nil && !found {
		return &provision.Error{Code: provision.NotFound, Message: "no such provider"}
	}
	return err
}

func (t *tx) Provider() provision.Provider { return t.provider }

func (t *tx) ShouldYield() bool { return t.yield != nil && t.yield() }

func (t *tx) SaveProvider(ctx context.Context, p provision.Provider) error {
	return t.exec(ctx, `UPDATE provider SET active_limit = ?, disabled = ?, counted = ?, queued = ?, last_subscriber = ?,
		last_operation = ?, last_event = ?, last_job = ? WHERE id = ?`,
		p.Limit, p.Disabled, p.ActiveTokens, p.Queued, p.Subscribers, p.Operations, p.Events, p.Jobs, t.provider.ID)
}
