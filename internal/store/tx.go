package store

import (
	"context"
	"database/sql"
	"errors"

	"ativa/internal/provision"
)

// tx is a transaction of the writer, bound to one provider or none.
type tx struct {
	db       *DB
	provider provision.Provider
	changes  []textChange // for the search index, after the commit
}

func (t *tx) load(ctx context.Context, id provision.ProviderID) (err error) {
	err = scanRow(ctx, t, `SELECT `+providerColumns+` FROM provider WHERE id = ?`, []any{id}, func(rows *sql.Rows) (err error) {
		t.provider, err = scanProvider(rows)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return &provision.Error{Code: provision.NotFound, Message: "no such provider"}
	}
	return err
}

// Provider implements provision.Tx.
func (t *tx) Provider() provision.Provider { return t.provider }

// SaveProvider implements provision.Tx.
func (t *tx) SaveProvider(ctx context.Context, p provision.Provider) error {
	return t.exec(ctx, `UPDATE provider SET active_limit = ?, disabled = ?, counted = ?, queued = ?, last_subscriber = ?,
		last_operation = ?, last_event = ?, last_job = ? WHERE id = ?`,
		p.Limit, p.Disabled, p.Counted, p.Queued, p.Subscribers, p.Operations, p.Events, p.Jobs, t.provider.ID)
}
