package store

import (
	"context"

	"ativa/internal/provision"
)

// EnableCallback implements provision.Registry.
func (db *DB) EnableCallback(ctx context.Context, p provision.ProviderID, enabled bool) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		n, err := t.run(ctx, `UPDATE callback SET enabled = ? WHERE provider_id = ?`, enabled, p)
		if err != nil || n > 0 {
			return err
		}
		return &provision.Error{Code: provision.NotFound, Message: "the provider has no callback"}
	})
}

// CountCallback implements provision.Registry.
func (db *DB) CountCallback(ctx context.Context, p provision.ProviderID, well bool) error {
	query := `UPDATE callback SET failures = failures + 1 WHERE provider_id = ?`
	if well {
		query = `UPDATE callback SET failures = 0 WHERE provider_id = ? AND failures > 0`
	}
	return db.change(ctx, func(ctx context.Context, t *tx) error { return t.exec(ctx, query, p) })
}
