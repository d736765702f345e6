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
	return db.exec(ctx, `INSERT INTO brand (provider_id, display_name, logo, color, phone) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (provider_id) DO UPDATE SET display_name = excluded.display_name, logo = excluded.logo, color = excluded.color, phone = excluded.phone`,
		b.Provider, b.DisplayName, logo, string(b.Color), b.Phone)
}

// Brands implements provision.Registry.
func (db *DB) Brands(ctx context.Context, providers []provision.ProviderID) (map[provision.ProviderID]provision.Brand, error) {
	return mapByKeys(ctx, db.read, `SELECT provider_id, display_name, logo, color, phone FROM brand WHERE provider_id %s`, providers,
		func(r row, b *provision.Brand) error {
			var logo []byte
			var color string
			err := r.Scan(&b.Provider, &b.DisplayName, &logo, &color, &b.Phone)
			b.Logo, b.Color = logo, provision.Color(color)
			return err
		}, func(b *provision.Brand) provision.ProviderID { return b.Provider })
}
