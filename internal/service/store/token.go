package store

import (
	"context"
	"fmt"
	"time"

	"ativa/internal/service/domain"
)

func (t *tx) insertAccessToken(ctx context.Context, a domain.AccessToken) (id domain.TokenID, err error) {
	err = t.insertReturningID(ctx, &id, `INSERT INTO access_token (provider_id, hash, created_at, name, scopes, expires_at) VALUES (?, ?, ?, ?, ?, ?)`,
		a.Provider, a.Hash[:], micros(a.CreatedAt), a.Name, int64(a.Scopes), micros(a.ExpiresAt))
	return id, err
}

const accessTokenColumns = `t.id, t.provider_id, t.name, t.scopes, t.generation, t.created_at, t.expires_at, t.last_used_at, t.revoked_at`

// accessTokenTargets returns the targets of accessTokenColumns and of the column after them, the end of
// the previous secret.
func accessTokenTargets(a *domain.AccessToken) []any {
	return []any{&a.ID, &a.Provider, &a.Name, &a.Scopes, &a.Generation, asTime(&a.CreatedAt), asTime(&a.ExpiresAt), asTime(&a.LastUsedAt),
		asTime(&a.RevokedAt), asTime(&a.SecretEndsAt)}
}

// AccessTokens implements server.Store.
func (db *DB) AccessTokens(ctx context.Context, providers []domain.ProviderID) ([]domain.AccessToken, error) {
	return accessTokens(ctx, db.read, providers)
}

func accessTokens(ctx context.Context, q querier, providers []domain.ProviderID) ([]domain.AccessToken, error) {
	return listByKeys(ctx, q, accessTokenTargets, `SELECT `+accessTokenColumns+`, t.previous_ends_at
		FROM access_token t
		WHERE t.provider_id %s
		ORDER BY t.id`, providers)
}

// providerDisabled reads the row of the provider of token t. A join might read all providers, and
// a condition might read other tokens.
const providerDisabled = `COALESCE((SELECT p.disabled FROM provider p WHERE p.id = t.provider_id), TRUE)`

// AccessTokenByHash implements accounts.TokenStore.
func (db *DB) AccessTokenByHash(ctx context.Context, hash [32]byte) (domain.AccessToken, bool, error) {
	var a domain.AccessToken
	var disabled bool
	found, err := queryRow(ctx, db.read, `SELECT `+accessTokenColumns+`, CASE WHEN t.hash = ? THEN 0 ELSE t.previous_ends_at END, `+providerDisabled+`
		FROM access_token t
		WHERE t.id IN (
			SELECT id FROM access_token WHERE hash = ?
			UNION ALL
			SELECT id FROM access_token WHERE previous_hash = ? AND previous_ends_at > 0
		) AND t.revoked_at = 0`, []any{hash[:], hash[:], hash[:]}, append(accessTokenTargets(&a), &disabled)...)
	if a.Hash = hash; !a.SecretEndsAt.IsZero() {
		a.Generation-- // the hash is that of the previous secret
	}
	return a, found && !disabled, err
}

// revokeAccessToken writes RevokedAt and deletes the bearer tokens made from it.
func (t *tx) revokeAccessToken(ctx context.Context, a domain.AccessToken) error {
	if err := t.exec(ctx, `UPDATE access_token SET revoked_at = ? WHERE id = ?`, micros(a.RevokedAt), a.ID); err != nil {
		return err
	}
	return t.exec(ctx, `DELETE FROM bearer_token WHERE access_token_id = ?`, a.ID)
}

// rotateAccessToken writes Hash, the new secret. The secret of the previous generation is accepted
// until SecretEndsAt, older ones are not.
func (t *tx) rotateAccessToken(ctx context.Context, a domain.AccessToken) error {
	return t.exec(ctx, `UPDATE access_token SET previous_hash = CASE WHEN generation = ? THEN hash ELSE ? END, previous_ends_at = ?, hash = ?, generation = ?
		WHERE id = ?`, a.Generation-1, a.Hash[:], micros(a.SecretEndsAt), a.Hash[:], a.Generation, a.ID)
}

// ChangeToken implements accounts.TokenStore.
func (db *DB) ChangeToken(ctx context.Context, p domain.ProviderID, decide func(domain.Provider, []domain.AccessToken) (domain.TokenChange, error)) (changed domain.AccessToken, err error) {
	if p == 0 {
		return changed, errNoProvider
	}
	err = db.submit(ctx, p, func(ctx context.Context, t *tx) error {
		all, err := accessTokens(ctx, t, []domain.ProviderID{p})
		if err != nil {
			return err
		}
		provider := t.Provider()
		c, err := decide(provider, all)
		changed = c.Token
		if err != nil || c.Event.Type == 0 {
			return err
		}
		if changed.ID, err = t.changeToken(ctx, c); err != nil {
			return err
		}
		c.Event.ID, c.Event.AboutToken = provider.NextEvent(), changed.ID
		if err := t.insertEvents(ctx, []domain.Event{c.Event}); err != nil {
			return err
		}
		if c.Record != nil {
			if err := t.addRecord(ctx, *c.Record); err != nil {
				return err
			}
		}
		return t.SaveProvider(ctx, provider)
	})
	return changed, err
}

// changeToken writes the row of a changed token and returns its id.
func (t *tx) changeToken(ctx context.Context, c domain.TokenChange) (domain.TokenID, error) {
	switch c.Event.Type {
	case domain.TokenCreated:
		return t.insertAccessToken(ctx, c.Token)
	case domain.TokenRotated:
		return c.Token.ID, t.rotateAccessToken(ctx, c.Token)
	case domain.TokenRevoked:
		return c.Token.ID, t.revokeAccessToken(ctx, c.Token)
	}
	return 0, fmt.Errorf("a token is not changed by an event of type %d", c.Event.Type)
}

// SetTokensUsed implements accounts.TokenStore.
func (db *DB) SetTokensUsed(ctx context.Context, used map[domain.TokenID]time.Time) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		for id, hour := range used {
			if err := t.exec(ctx, `UPDATE access_token SET last_used_at = ? WHERE id = ? AND last_used_at < ?`, micros(hour), id, micros(hour)); err != nil {
				return err
			}
		}
		return nil
	})
}

// SaveBearer implements accounts.TokenStore.
func (db *DB) SaveBearer(ctx context.Context, b domain.BearerToken) error {
	return db.exec(ctx, `INSERT INTO bearer_token (hash, access_token_id, expires_at, generation) VALUES (?, ?, ?, ?)`,
		b.Hash[:], b.AccessToken.ID, micros(b.ExpiresAt), b.Generation)
}

// BearerByHash implements accounts.TokenStore.
func (db *DB) BearerByHash(ctx context.Context, hash [32]byte) (domain.BearerToken, bool, error) {
	b := domain.BearerToken{Hash: hash}
	var disabled bool
	var expires, tokenExpires, secretEnds time.Time
	found, err := queryRow(ctx, db.read, `SELECT t.id, t.provider_id, t.scopes, t.last_used_at, b.generation, b.expires_at, t.expires_at,
			CASE WHEN b.generation = t.generation THEN 0 ELSE t.previous_ends_at END, `+providerDisabled+`
		FROM bearer_token b JOIN access_token t ON t.id = b.access_token_id
		WHERE b.hash = ? AND t.revoked_at = 0 AND b.generation >= t.generation - 1`, []any{hash[:]},
		&b.AccessToken.ID, &b.AccessToken.Provider, &b.AccessToken.Scopes, asTime(&b.AccessToken.LastUsedAt), &b.Generation,
		asTime(&expires), asTime(&tokenExpires), asTime(&secretEnds), &disabled)
	b.ExpiresAt = domain.EarliestOf(expires, tokenExpires, secretEnds)
	return b, found && !disabled, err
}
