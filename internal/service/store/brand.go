package store

import (
	"context"

	"ativa/internal/service/domain"
)

// Brands implements accounts.RegistryStore.
func (db *DB) Brands(ctx context.Context, providers []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error) {
	return brands(ctx, db.read, providers)
}

func brands(ctx context.Context, q querier, providers []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error) {
	return mapByKeys(ctx, q, func(b *domain.Brand) []any {
		return []any{&b.Provider, &b.DisplayName, (*[]byte)(&b.Logo), &b.Color, &b.Phone}
	}, `SELECT provider_id, display_name, logo, color, phone FROM brand WHERE provider_id %s`, providers, func(b *domain.Brand) domain.ProviderID { return b.Provider })
}

// UpdateBrand implements accounts.RegistryStore. It locks the provider, because the brand may have no
// row yet.
func (db *DB) UpdateBrand(ctx context.Context, p domain.ProviderID, fn func(*domain.Brand) error) (b domain.Brand, err error) {
	err = db.submit(ctx, p, func(ctx context.Context, t *tx) error {
		all, err := brands(ctx, t, []domain.ProviderID{p})
		if err != nil {
			return err
		}
		b = all[p]
		b.Provider = p
		if err := fn(&b); err != nil {
			return err
		}
		return t.exec(ctx, `INSERT INTO brand (provider_id, display_name, logo, color, phone) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (provider_id) DO UPDATE SET display_name = excluded.display_name, logo = excluded.logo, color = excluded.color, phone = excluded.phone`,
			p, b.DisplayName, append([]byte{}, b.Logo...), b.Color, b.Phone)
	})
	return b, err
}
