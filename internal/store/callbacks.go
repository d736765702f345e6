package store

import (
	"context"

	"ativa/internal/provision"
)

// SetCallback implements provision.Callbacks.
func (db *DB) SetCallback(ctx context.Context, c provision.Callback) error {
	return db.exec(ctx, `INSERT INTO callback (provider_id, url, secret, allow_private, enabled, failures) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (provider_id) DO UPDATE SET url = excluded.url, secret = excluded.secret, allow_private = excluded.allow_private,
		enabled = excluded.enabled, failures = excluded.failures`, c.Provider, c.URL, c.Secret, c.AllowPrivate, c.Enabled, c.Failures)
}

// Callbacks implements provision.Queries.
func (db *DB) Callbacks(ctx context.Context) ([]provision.Callback, error) {
	return list(ctx, db.read, func(r row, c *provision.Callback) error {
		return r.Scan(&c.Provider, &c.URL, &c.Secret, &c.AllowPrivate, &c.Enabled, &c.Failures)
	}, `SELECT provider_id, url, secret, allow_private, enabled, failures FROM callback ORDER BY provider_id`)
}

// EnableCallback implements provision.Callbacks.
func (db *DB) EnableCallback(ctx context.Context, p provision.ProviderID, enabled bool) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		n, err := t.execRows(ctx, `UPDATE callback SET enabled = ? WHERE provider_id = ?`, enabled, p)
		if err != nil || n > 0 {
			return err
		}
		return &provision.Error{Code: provision.NotFound, Message: "the provider has no callback"}
	})
}

// RecordCallbackResult implements provision.Callbacks.
func (db *DB) RecordCallbackResult(ctx context.Context, p provision.ProviderID, succeeded bool) error {
	query := `UPDATE callback SET failures = failures + 1 WHERE provider_id = ?`
	if succeeded {
		query = `UPDATE callback SET failures = 0 WHERE provider_id = ? AND failures > 0`
	}
	return db.exec(ctx, query, p)
}
