package store

import (
	"context"

	"ativa/internal/service/domain"
)

// Callbacks implements outbox.QueueStore.
func (db *DB) Callbacks(ctx context.Context) ([]domain.Callback, error) {
	return list(ctx, db.read, func(c *domain.Callback) []any {
		return []any{&c.Provider, &c.URL, &c.Secret, &c.AllowPrivate, &c.Enabled, &c.Failures}
	}, `SELECT provider_id, url, secret, allow_private, enabled, failures FROM callback ORDER BY provider_id`)
}

func (t *tx) Callback(ctx context.Context) (domain.Callback, bool, error) {
	c := domain.Callback{Provider: t.provider.ID}
	found, err := queryRow(ctx, t, `SELECT url, secret, allow_private, enabled, failures FROM callback WHERE provider_id = ? AND enabled`,
		[]any{t.provider.ID}, &c.URL, &c.Secret, &c.AllowPrivate, &c.Enabled, &c.Failures)
	return c, found, err
}

// SetCallback implements accounts.CallbackStore.
func (db *DB) SetCallback(ctx context.Context, c domain.Callback) error {
	return db.exec(ctx, `INSERT INTO callback (provider_id, url, secret, allow_private, enabled, failures) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (provider_id) DO UPDATE SET url = excluded.url, secret = excluded.secret, allow_private = excluded.allow_private,
		enabled = excluded.enabled, failures = excluded.failures`, c.Provider, c.URL, c.Secret, c.AllowPrivate, c.Enabled, c.Failures)
}

// EnableCallback implements accounts.CallbackStore.
func (db *DB) EnableCallback(ctx context.Context, p domain.ProviderID, enabled bool) error {
	return db.exec(ctx, `UPDATE callback SET enabled = ? WHERE provider_id = ?`, enabled, p)
}

// RecordCallbackResult implements outbox.QueueStore.
func (db *DB) RecordCallbackResult(ctx context.Context, p domain.ProviderID, succeeded bool) error {
	query := `UPDATE callback SET failures = failures + 1 WHERE provider_id = ?`
	if succeeded {
		query = `UPDATE callback SET failures = 0 WHERE provider_id = ? AND failures > 0`
	}
	return db.exec(ctx, query, p)
}

const feedCallbackColumns = `f.url, f.secret, f.allow_private, f.enabled, f.failures, f.generation, f.cursor, f.batch_end, f.next_attempt_at, f.leased_until, f.last_error`

func feedCallbackTargets(c *domain.FeedCallback) []any {
	return []any{&c.URL, &c.Secret, &c.AllowPrivate, &c.Enabled, &c.Failures, &c.Generation, &c.Cursor, &c.BatchEnd, asTime(&c.NextAttempt), asTime(&c.LeasedUntil), &c.LastError}
}

// FeedCallbacks implements outbox.FeedStore. It reads one row from each of three tables per
// callback, so that a server may call it every second.
func (db *DB) FeedCallbacks(ctx context.Context) ([]domain.FeedCallback, error) {
	return list(ctx, db.read, func(c *domain.FeedCallback) []any {
		return append(feedCallbackTargets(c), &c.Provider, &c.ProviderName, &c.ProviderDisabled, &c.Newest, asTime(&c.WaitingSince))
	}, `SELECT `+feedCallbackColumns+`, p.id, p.name, p.disabled, (p.id << `+recordBits+`) + p.last_event, (
			SELECT e.at
			FROM event e
			WHERE e.id = f.cursor + 1
		)
		FROM feed_callback f
		JOIN provider p ON p.id = f.provider_id
		ORDER BY p.id`)
}

// UpdateFeedCallback implements accounts.CallbackStore.
func (db *DB) UpdateFeedCallback(ctx context.Context, p domain.ProviderID, fn func(*domain.FeedCallback) error) (c domain.FeedCallback, err error) {
	err = db.write(ctx, func(ctx context.Context, t *tx) error {
		c = domain.FeedCallback{}
		_, err := queryRow(ctx, t, `SELECT `+feedCallbackColumns+`, (SELECT p.disabled FROM provider p WHERE p.id = f.provider_id) FROM feed_callback f WHERE f.provider_id = ?`+t.dialect().forUpdate,
			[]any{p}, append(feedCallbackTargets(&c), &c.ProviderDisabled)...)
		if err != nil {
			return err
		}
		c.Provider = p
		if err := fn(&c); err != nil {
			return err
		}
		return t.exec(ctx, `INSERT INTO feed_callback
			(provider_id, url, secret, allow_private, enabled, failures, generation, cursor, batch_end, next_attempt_at, leased_until, last_error)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (provider_id) DO UPDATE SET url = excluded.url, secret = excluded.secret, allow_private = excluded.allow_private,
			enabled = excluded.enabled, failures = excluded.failures, generation = excluded.generation, cursor = excluded.cursor,
			batch_end = excluded.batch_end, next_attempt_at = excluded.next_attempt_at, leased_until = excluded.leased_until, last_error = excluded.last_error`,
			p, c.URL, c.Secret, c.AllowPrivate, c.Enabled, c.Failures, c.Generation, c.Cursor, c.BatchEnd, micros(c.NextAttempt), micros(c.LeasedUntil), c.LastError)
	})
	return c, err
}
