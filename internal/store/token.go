package store

import (
	"context"
	"errors"
	"time"

	"ativa/internal/provision"
)

// AddAccessToken implements provision.Tokens.
// The transaction locks the provider: two rotations at once follow each other.
func (db *DB) AddAccessToken(ctx context.Context, a provision.AccessToken, keep int) (provision.AccessToken, error) {
	err := db.submit(ctx, a.Provider, func(ctx context.Context, t *tx) error {
		err := t.insertReturningID(ctx, &a.ID, `INSERT INTO access_token (provider_id, hash, created_at, name) VALUES (?, ?, ?, ?)`, a.Provider, a.Hash[:], micros(a.CreatedAt), a.Name)
		if err != nil {
			return err
		}
		surplus, err := list(ctx, t, func(r row, id *provision.TokenID) error { return r.Scan(id) },
			`SELECT id FROM access_token WHERE provider_id = ? AND revoked_at = 0 ORDER BY id DESC LIMIT ? OFFSET ?`, a.Provider, limitArg(0), keep)
		for _, id := range surplus {
			err = errors.Join(err, t.revoke(ctx, a.Provider, id, a.CreatedAt))
		}
		return err
	})
	return a, err
}

// AccessTokens implements provision.Tokens.
func (db *DB) AccessTokens(ctx context.Context, providers []provision.ProviderID) (all []provision.AccessToken, err error) {
	err = queryByKeys(ctx, db.read, `SELECT id, provider_id, hash, created_at, revoked_at FROM access_token WHERE provider_id %s ORDER BY id`, nil, providers, func(r row) error {
		var a provision.AccessToken
		var hash []byte
		var created, revoked int64
		err := r.Scan(&a.ID, &a.Provider, &hash, &created, &revoked)
		copy(a.Hash[:], hash)
		a.CreatedAt, a.RevokedAt = fromMicros(created), fromMicros(revoked)
		all = append(all, a)
		return err
	})
	return all, err
}

// AccessTokenByHash implements provision.Tokens.
func (db *DB) AccessTokenByHash(ctx context.Context, hash [32]byte) (provision.AccessToken, bool, error) {
	a := provision.AccessToken{Hash: hash}
	found, err := queryRow(ctx, db.read, `SELECT t.id, t.provider_id FROM access_token t JOIN provider p ON p.id = t.provider_id
		WHERE t.hash = ? AND t.revoked_at = 0 AND NOT p.disabled`, []any{hash[:]}, scanInto(&a.ID, &a.Provider))
	return a, found, err
}

// RevokeAccessToken implements provision.Tokens.
func (db *DB) RevokeAccessToken(ctx context.Context, p provision.ProviderID, id provision.TokenID, at time.Time) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error { return t.revoke(ctx, p, id, at) })
}

func (t *tx) revoke(ctx context.Context, p provision.ProviderID, id provision.TokenID, at time.Time) error {
	n, err := t.execRows(ctx, `UPDATE access_token SET revoked_at = ? WHERE id = ? AND provider_id = ?`, micros(at), id, p)
	if err != nil || n == 0 {
		return errors.Join(err, &provision.Error{Code: provision.NotFound, Message: "no such token"})
	}
	return t.exec(ctx, `DELETE FROM bearer_token WHERE access_token_id = ?`, id)
}

// SaveBearer implements provision.Tokens.
func (db *DB) SaveBearer(ctx context.Context, b provision.BearerToken) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		return t.exec(ctx, `INSERT INTO bearer_token (hash, access_token_id, provider_id, expires_at) VALUES (?, ?, ?, ?)`, b.Hash[:], b.AccessToken, b.Provider, micros(b.ExpiresAt))
	})
}

// BearerByHash implements provision.Tokens.
func (db *DB) BearerByHash(ctx context.Context, hash [32]byte) (provision.BearerToken, bool, error) {
	b := provision.BearerToken{Hash: hash}
	var expires int64
	found, err := queryRow(ctx, db.read, `SELECT b.access_token_id, b.provider_id, b.expires_at FROM bearer_token b
		JOIN access_token t ON t.id = b.access_token_id JOIN provider p ON p.id = b.provider_id
		WHERE b.hash = ? AND t.revoked_at = 0 AND NOT p.disabled`, []any{hash[:]}, scanInto(&b.AccessToken, &b.Provider, &expires))
	b.ExpiresAt = fromMicros(expires)
	return b, found, err
}
