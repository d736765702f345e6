package store

import (
	"context"
	"errors"
	"time"

	"ativa/internal/provision"
)

// change runs one write that belongs to no provider.
func (db *DB) change(ctx context.Context, fn func(context.Context, *tx) error) error {
	return db.submit(ctx, 0, fn)
}

// taken explains the violation of a unique constraint.
func (t *tx) taken(err error, message string) error {
	if err != nil && t.dialect().violated(err) {
		return &provision.Error{Code: provision.NameTaken, Message: message, Err: err}
	}
	return err
}

// create runs an INSERT … RETURNING id.
func (t *tx) create(ctx context.Context, id any, query string, args ...any) error {
	_, err := scanRow(ctx, t, query+` RETURNING id`, args, into(id))
	return err
}

// CreateProvider implements provision.Registry.
func (db *DB) CreateProvider(ctx context.Context, p provision.Provider) (provision.Provider, error) {
	err := db.change(ctx, func(ctx context.Context, t *tx) error {
		return t.taken(t.create(ctx, &p.ID, `INSERT INTO provider (name, active_limit, disabled, all_products, created_at) VALUES (?, ?, ?, ?, ?)`,
			p.Name, p.Limit, p.Disabled, p.AllProducts, micros(p.CreatedAt)), "a provider of this name exists")
	})
	return p, err
}

// Providers implements provision.Registry.
func (db *DB) Providers(ctx context.Context) ([]provision.Provider, error) {
	return list(ctx, db.read, func(r row, p *provision.Provider) (err error) { *p, err = scanProvider(r); return err },
		`SELECT `+providerColumns+` FROM provider ORDER BY id`)
}

// ProviderByName implements provision.Registry.
func (db *DB) ProviderByName(ctx context.Context, name string) (provision.Provider, error) {
	var p provision.Provider
	found, err := scanRow(ctx, db.read, `SELECT `+providerColumns+` FROM provider WHERE name = ?`, []any{name}, func(r row) (err error) {
		p, err = scanProvider(r)
		return err
	})
	if err == nil && !found {
		return p, &provision.Error{Code: provision.NotFound, Message: "no provider has this name"}
	}
	return p, err
}

// AddAccessToken implements provision.Registry.
func (db *DB) AddAccessToken(ctx context.Context, a provision.AccessToken) (provision.AccessToken, error) {
	err := db.change(ctx, func(ctx context.Context, t *tx) error {
		return t.create(ctx, &a.ID, `INSERT INTO access_token (provider_id, hash, created_at) VALUES (?, ?, ?)`, a.Provider, a.Hash[:], micros(a.CreatedAt))
	})
	return a, err
}

// AccessTokens implements provision.Registry.
func (db *DB) AccessTokens(ctx context.Context, p provision.ProviderID) ([]provision.AccessToken, error) {
	return list(ctx, db.read, func(r row, a *provision.AccessToken) error {
		var hash []byte
		var created, revoked int64
		err := r.Scan(&a.ID, &a.Provider, &hash, &created, &revoked)
		copy(a.Hash[:], hash)
		a.CreatedAt, a.RevokedAt = fromMicros(created), fromMicros(revoked)
		return err
	}, `SELECT id, provider_id, hash, created_at, revoked_at FROM access_token WHERE provider_id = ? ORDER BY id`, p)
}

// AccessTokenByHash implements provision.Registry.
func (db *DB) AccessTokenByHash(ctx context.Context, hash [32]byte) (provision.AccessToken, bool, error) {
	a := provision.AccessToken{Hash: hash}
	found, err := scanRow(ctx, db.read, `SELECT t.id, t.provider_id FROM access_token t JOIN provider p ON p.id = t.provider_id
		WHERE t.hash = ? AND t.revoked_at = 0 AND NOT p.disabled`, []any{hash[:]}, into(&a.ID, &a.Provider))
	return a, found, err
}

// RevokeAccessToken implements provision.Registry.
func (db *DB) RevokeAccessToken(ctx context.Context, p provision.ProviderID, id int64, at time.Time) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		n, err := t.run(ctx, `UPDATE access_token SET revoked_at = ? WHERE id = ? AND provider_id = ?`, micros(at), id, p)
		if err != nil || n == 0 {
			return errors.Join(err, &provision.Error{Code: provision.NotFound, Message: "no such token"})
		}
		return t.exec(ctx, `DELETE FROM bearer_token WHERE access_token_id = ?`, id)
	})
}

// SaveBearer implements provision.Registry.
func (db *DB) SaveBearer(ctx context.Context, b provision.BearerToken) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		return t.exec(ctx, `INSERT INTO bearer_token (hash, access_token_id, provider_id, expires_at) VALUES (?, ?, ?, ?)`, b.Hash[:], b.AccessToken, b.Provider, micros(b.ExpiresAt))
	})
}

// BearerByHash implements provision.Registry.
func (db *DB) BearerByHash(ctx context.Context, hash [32]byte) (provision.BearerToken, bool, error) {
	b := provision.BearerToken{Hash: hash}
	var expires int64
	found, err := scanRow(ctx, db.read, `SELECT b.access_token_id, b.provider_id, b.expires_at FROM bearer_token b
		JOIN access_token t ON t.id = b.access_token_id JOIN provider p ON p.id = b.provider_id
		WHERE b.hash = ? AND t.revoked_at = 0 AND NOT p.disabled`, []any{hash[:]}, into(&b.AccessToken, &b.Provider, &expires))
	b.ExpiresAt = fromMicros(expires)
	return b, found, err
}

// CreateProduct implements provision.Registry.
func (db *DB) CreateProduct(ctx context.Context, p provision.Product) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		return t.taken(t.exec(ctx, `INSERT INTO product (id, name, code, family, active, can, partner_id) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			p.ID, p.Name, p.Code, p.Family, p.Active, p.Can, p.Partner), "a product with this id or code exists")
	})
}

// UpdateProduct implements provision.Registry.
func (db *DB) UpdateProduct(ctx context.Context, p provision.Product) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		var family string
		if _, err := scanRow(ctx, t, `SELECT family FROM product WHERE id = ?`, []any{p.ID}, into(&family)); err != nil {
			return err
		}
		err := t.taken(t.exec(ctx, `UPDATE product SET name = ?, code = ?, family = ?, active = ?, can = ?, partner_id = ? WHERE id = ?`,
			p.Name, p.Code, p.Family, p.Active, p.Can, p.Partner, p.ID), "a product with this code exists")
		if err != nil || p.Family == family || p.Family == "" {
			return err
		}
		return t.oneOfFamily(ctx, p.Family)
	})
}

// oneOfFamily refuses when a subscriber has two live tokens of the family.
func (t *tx) oneOfFamily(ctx context.Context, family string) error {
	two, err := scanRow(ctx, t, `SELECT 1 FROM service v JOIN product p ON p.id = v.product_id
		WHERE p.family = ? AND v.status_id NOT IN (?, ?)
		GROUP BY v.id >> 12 HAVING COUNT(*) > 1 LIMIT 1`,
		[]any{family, int64(provision.Canceled), int64(provision.CanceledWithoutActivation)}, func(row) error { return nil })
	if err == nil && two {
		err = &provision.Error{Code: provision.FamilyConflict, Message: "a subscriber has services of this product and of another of the family; one of them must be cancelled first"}
	}
	return err
}

const productColumns = `p.id, p.name, p.code, p.family, p.active, p.can, p.partner_id, COALESCE(a.driver = 'http', FALSE)
	FROM product p LEFT JOIN partner a ON a.id = p.partner_id`

func scanProduct(r row, p *provision.Product) error {
	return r.Scan(&p.ID, &p.Name, &p.Code, &p.Family, &p.Active, &p.Can, &p.Partner, &p.AsksActivation)
}

// Products implements provision.Registry.
func (db *DB) Products(ctx context.Context) ([]provision.Product, error) {
	return list(ctx, db.read, scanProduct, `SELECT `+productColumns+` ORDER BY p.id`)
}

// Offers implements provision.Registry.
func (db *DB) Offers(ctx context.Context, p provision.ProviderID) ([]provision.Product, error) {
	return list(ctx, db.read, scanProduct, `SELECT `+productColumns+` JOIN provider v ON v.id = ?
		LEFT JOIN product_grant g ON g.product_id = p.id AND g.provider_id = v.id WHERE COALESCE(g.granted, v.all_products) ORDER BY p.id`, p)
}

func (db *DB) grant(ctx context.Context, p provision.ProviderID, ids []int, granted bool) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		for _, id := range ids {
			if err := t.exec(ctx, `INSERT INTO product_grant (provider_id, product_id, granted) VALUES (?, ?, ?)
				ON CONFLICT (provider_id, product_id) DO UPDATE SET granted = excluded.granted`, p, id, granted); err != nil {
				return err
			}
		}
		return nil
	})
}

// Grant implements provision.Registry.
func (db *DB) Grant(ctx context.Context, p provision.ProviderID, ids []int) error {
	return db.grant(ctx, p, ids, true)
}

// Revoke implements provision.Registry.
func (db *DB) Revoke(ctx context.Context, p provision.ProviderID, ids []int) error {
	return db.grant(ctx, p, ids, false)
}

// CreatePartner implements provision.Registry.
func (db *DB) CreatePartner(ctx context.Context, p provision.Partner) (provision.Partner, error) {
	err := db.change(ctx, func(ctx context.Context, t *tx) error {
		return t.taken(t.create(ctx, &p.ID, `INSERT INTO partner (name, driver, url, delay, failure_rate, secret, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			p.Name, string(p.Driver), p.URL, int64(p.Delay), p.FailureRate, p.Secret, micros(p.CreatedAt)), "a partner of this name exists")
	})
	return p, err
}

// Partners implements provision.Registry.
func (db *DB) Partners(ctx context.Context) ([]provision.Partner, error) {
	return list(ctx, db.read, func(r row, p *provision.Partner) error {
		var created int64
		err := r.Scan(&p.ID, &p.Name, &p.Driver, &p.URL, &p.Delay, &p.FailureRate, &p.Secret, &created)
		p.CreatedAt = fromMicros(created)
		return err
	}, `SELECT id, name, driver, url, delay, failure_rate, secret, created_at FROM partner ORDER BY id`)
}

// SetCallback implements provision.Registry.
func (db *DB) SetCallback(ctx context.Context, c provision.Callback) error {
	return db.change(ctx, func(ctx context.Context, t *tx) error {
		return t.exec(ctx, `INSERT INTO callback (provider_id, url, secret, allow_private, enabled, failures) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (provider_id) DO UPDATE SET url = excluded.url, secret = excluded.secret, allow_private = excluded.allow_private,
			enabled = excluded.enabled, failures = excluded.failures`, c.Provider, c.URL, c.Secret, c.AllowPrivate, c.Enabled, c.Failures)
	})
}

// Callbacks implements provision.Registry.
func (db *DB) Callbacks(ctx context.Context) ([]provision.Callback, error) {
	return list(ctx, db.read, func(r row, c *provision.Callback) error {
		return r.Scan(&c.Provider, &c.URL, &c.Secret, &c.AllowPrivate, &c.Enabled, &c.Failures)
	}, `SELECT provider_id, url, secret, allow_private, enabled, failures FROM callback ORDER BY provider_id`)
}
