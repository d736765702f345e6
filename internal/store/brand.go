package store

import (
	"context"

	"ativa/internal/provision"
)

// SaveBrand implements provision.Registry.
func (db *DB) SaveBrand(ctx context.Context, b provision.Brand) error {
	logo := []byte(b.Logo)
	if logo == nil {
		logo = []byte{}
	}
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		return t.exec(ctx, `INSERT INTO brand (provider_id, display_name, logo, color, phone) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (provider_id) DO UPDATE SET display_name = excluded.display_name, logo = excluded.logo, color = excluded.color, phone = excluded.phone`,
			b.Provider, b.DisplayName, logo, string(b.Color), b.Phone)
	})
}

// Brands implements provision.Registry.
func (db *DB) Brands(ctx context.Context, providers []provision.ProviderID) (map[provision.ProviderID]provision.Brand, error) {
	all := map[provision.ProviderID]provision.Brand{}
	err := queryByKeys(ctx, db.read, `SELECT provider_id, display_name, logo, color, phone FROM brand WHERE provider_id %s`, nil, providers, func(r row) error {
		var b provision.Brand
		var logo []byte
		var color string
		err := r.Scan(&b.Provider, &b.DisplayName, &logo, &color, &b.Phone)
		b.Logo, b.Color = logo, provision.Color(color)
		all[b.Provider] = b
		return err
	})
	return all, err
}
