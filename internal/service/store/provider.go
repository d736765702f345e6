package store

import (
	"context"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

const providerColumns = `id, name, active_limit, disabled, all_products, created_at, active_tokens, queued, last_subscriber, last_operation, last_event, last_delivery, last_schedule`

func providerTargets(p *domain.Provider) []any {
	return []any{fastInt(&p.ID), &p.Name, fastInt(&p.Limit), &p.Disabled, &p.AllProducts, asTime(&p.CreatedAt), fastInt(&p.ActiveTokens), fastInt(&p.Queued),
		fastInt(&p.Subscribers), fastInt(&p.Operations), fastInt(&p.Events), fastInt(&p.Deliveries), fastInt(&p.Schedules)}
}

// CreateProvider implements accounts.RegistryStore.
func (db *DB) CreateProvider(ctx context.Context, p domain.Provider, products []int, tokens ...domain.AccessToken) (domain.Provider, error) {
	err := db.write(ctx, func(ctx context.Context, t *tx) error {
		// A provider that was lost by a restore may have had the same id, so the counters begin where skipIDs
		// has moved those of the others.
		err := t.explainDuplicate(domain.SubjectProvider, t.insertReturningID(ctx, &p.ID, `INSERT INTO provider (name, active_limit, disabled, all_products, created_at,
				last_operation, last_delivery, last_schedule, last_event, last_subscriber)
			VALUES (?, ?, ?, ?, ?,
				(SELECT COALESCE(MAX(last_operation), 0) >> 32 << 32 FROM provider), (SELECT COALESCE(MAX(last_delivery), 0) >> 32 << 32 FROM provider),
				(SELECT COALESCE(MAX(last_schedule), 0) >> 32 << 32 FROM provider), (SELECT COALESCE(MAX(last_event), 0) >> 24 << 24 FROM provider),
				(SELECT COALESCE(MAX(last_subscriber), 0) >> 24 << 24 FROM provider))`,
			p.Name, p.Limit, p.Disabled, p.AllProducts, micros(p.CreatedAt)), "a provider of this name exists")
		if err == nil {
			err = t.grant(ctx, p.ID, products, true)
		}
		for _, a := range tokens {
			if a.Provider = p.ID; err == nil {
				_, err = t.insertAccessToken(ctx, a)
			}
		}
		return err
	})
	return p, err
}

// Providers returns all providers, in order of id.
func (db *DB) Providers(ctx context.Context) ([]domain.Provider, error) {
	return list(ctx, db.read, providerTargets, `SELECT `+providerColumns+` FROM provider ORDER BY id`)
}

// ProviderByName implements accounts.RegistryStore.
func (db *DB) ProviderByName(ctx context.Context, name string) (domain.Provider, error) {
	var p domain.Provider
	found, err := queryRow(ctx, db.read, `SELECT `+providerColumns+` FROM provider WHERE name = ?`, []any{name}, providerTargets(&p)...)
	if err == nil && !found {
		return p, &domain.Error{Code: domain.NotFound, Message: "no provider has this name", Subject: domain.SubjectProvider}
	}
	return p, err
}

// EnableProvider implements accounts.TokenStore.
func (db *DB) EnableProvider(ctx context.Context, p domain.ProviderID, enabled bool) error {
	return db.Update(ctx, p, func(ctx context.Context, tx rules.Tx) error {
		provider := tx.Provider()
		provider.Disabled = !enabled
		return tx.SaveProvider(ctx, provider)
	})
}

// PromotableProviders implements rules.Store.
func (db *DB) PromotableProviders(ctx context.Context) ([]domain.ProviderID, error) {
	return list(ctx, db.read, only[domain.ProviderID], `SELECT id FROM provider WHERE queued > 0 AND active_tokens < active_limit`)
}
