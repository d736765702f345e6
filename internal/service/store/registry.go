package store

import (
	"context"

	"ativa/internal/service/domain"
	"ativa/internal/service/rules"
)

// write runs one write that belongs to no provider.
func (db *DB) write(ctx context.Context, fn func(context.Context, *tx) error) error {
	return db.submit(ctx, 0, fn)
}

// exec runs a write of one statement that belongs to no provider.
func (db *DB) exec(ctx context.Context, query string, args ...any) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error { return t.exec(ctx, query, args...) })
}

// explainDuplicate turns the violation of a unique constraint into NameTaken with the given
// message.
func (t *tx) explainDuplicate(subject domain.Subject, err error, message string) error {
	if err != nil && t.dialect().isUniqueViolation(err) {
		return &domain.Error{Code: domain.NameTaken, Message: message, Subject: subject, Err: err}
	}
	return err
}

// insertReturningID runs an INSERT … RETURNING id.
func (t *tx) insertReturningID(ctx context.Context, id any, query string, args ...any) error {
	_, err := queryRow(ctx, t, query+` RETURNING id`, args, id)
	return err
}

// CreateProvider implements accounts.RegistryStore.
func (db *DB) CreateProvider(ctx context.Context, p domain.Provider, products []int, tokens ...domain.AccessToken) (domain.Provider, error) {
	err := db.write(ctx, func(ctx context.Context, t *tx) error {
		err := t.explainDuplicate("", t.insertReturningID(ctx, &p.ID, `INSERT INTO provider (name, active_limit, disabled, all_products, created_at) VALUES (?, ?, ?, ?, ?)`,
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

// CreateProduct implements accounts.RegistryStore.
func (db *DB) CreateProduct(ctx context.Context, p domain.Product) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		return t.explainDuplicate(domain.SubjectProduct, t.exec(ctx, `INSERT INTO product (id, name, code, family, active, can, partner_id, instructions, help_url)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			p.ID, p.Name, p.Code, p.Family, p.Active, p.Can, p.Partner, p.Instructions, p.HelpURL), "a product with this id or code exists")
	})
}

// UpdateProduct implements accounts.RegistryStore. It waits for writes that have read the products,
// and later writes wait for it, so that the families do not change during a write.
func (db *DB) UpdateProduct(ctx context.Context, id int, fn func(*domain.Product) error) (p domain.Product, err error) {
	err = db.write(ctx, func(ctx context.Context, t *tx) error {
		if err := t.lock(ctx, t.dialect().lockProducts); err != nil {
			return err
		}
		found, err := queryRow(ctx, t, `SELECT `+productColumns+` WHERE p.id = ?`, []any{id}, productTargets(&p)...)
		if err == nil && !found {
			err = &domain.Error{Code: domain.NotFound, Message: "no product has this id", Subject: domain.SubjectProduct}
		}
		family := p.Family
		if err == nil {
			err = fn(&p)
		}
		if err != nil {
			return err
		}
		err = t.explainDuplicate(domain.SubjectProduct, t.exec(ctx, `UPDATE product SET name = ?, code = ?, family = ?, active = ?, can = ?, partner_id = ?, instructions = ?, help_url = ?
			WHERE id = ?`,
			p.Name, p.Code, p.Family, p.Active, p.Can, p.Partner, p.Instructions, p.HelpURL, p.ID), "a product with this code exists")
		if err == nil && family != "" && p.Family != family {
			err = t.noChangeOf(ctx, p.ID)
		}
		if err != nil || p.Family == family || p.Family == "" {
			return err
		}
		return t.oneOfFamily(ctx, p.Family)
	})
	return p, err
}

// lock runs a statement that waits for a lock of the transaction. SQLite has none, because its
// writes run one after the other.
func (t *tx) lock(ctx context.Context, statement string) error {
	if statement == "" {
		return nil
	}
	return t.queue(ctx, statement)
}

// oneOfFamily returns FamilyConflict if a subscriber has two live tokens of the family.
func (t *tx) oneOfFamily(ctx context.Context, family string) error {
	refusal := &domain.Error{Code: domain.FamilyConflict, Message: "a subscriber has services of this product and of another of the family; one of them must be cancelled first"}
	return t.refuseIf(ctx, refusal, `SELECT 1 FROM service v JOIN product p ON p.id = v.product_id
		WHERE p.family = ? AND v.status_id NOT IN (?, ?)
		GROUP BY v.id >> `+tokenBits+` HAVING COUNT(*) > 1 LIMIT 1`, family, domain.Canceled, domain.CanceledWithoutActivation)
}

// noChangeOf returns FamilyConflict if a change of a service from or to the product is under way or
// has failed: in another family nothing would keep its subscriber from a second live token.
func (t *tx) noChangeOf(ctx context.Context, product int) error {
	refusal := &domain.Error{Code: domain.FamilyConflict, Message: "a service is being changed from or to this product; its family can be changed when that has ended"}
	return t.refuseIf(ctx, refusal, `SELECT 1 FROM service
		WHERE status_id IN (?, ?) AND previous_product_id <> 0 AND (product_id = ? OR previous_product_id = ?) LIMIT 1`,
		domain.Changed, domain.InError, product, product)
}

// refuseIf returns the refusal if the query finds a row.
func (t *tx) refuseIf(ctx context.Context, refusal *domain.Error, query string, args ...any) error {
	found, err := queryRow(ctx, t, query, args, new(int))
	if err == nil && found {
		return refusal
	}
	return err
}

const productColumns = `p.id, p.name, p.code, p.family, p.active, p.can, p.partner_id, p.instructions, p.help_url, COALESCE(a.driver = 'http', FALSE)
	FROM product p LEFT JOIN partner a ON a.id = p.partner_id`

func productTargets(p *domain.Product) []any {
	return []any{&p.ID, &p.Name, &p.Code, &p.Family, &p.Active, &p.Can, &p.Partner, &p.Instructions, &p.HelpURL, &p.RequestsActivation}
}

// Products implements server.Store.
func (db *DB) Products(ctx context.Context) ([]domain.Product, error) {
	return list(ctx, db.read, productTargets, `SELECT `+productColumns+` ORDER BY p.id`)
}

// Offers implements server.Store.
func (db *DB) Offers(ctx context.Context, p domain.ProviderID) ([]domain.Product, error) {
	return list(ctx, db.read, productTargets, `SELECT `+productColumns+` JOIN provider v ON v.id = ?
		LEFT JOIN product_grant g ON g.product_id = p.id AND g.provider_id = v.id WHERE COALESCE(g.granted, v.all_products) ORDER BY p.id`, p)
}

// Grant implements accounts.RegistryStore.
func (db *DB) Grant(ctx context.Context, p domain.ProviderID, ids []int, granted bool) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error { return t.grant(ctx, p, ids, granted) })
}

func (t *tx) grant(ctx context.Context, p domain.ProviderID, ids []int, granted bool) error {
	for _, id := range ids {
		if err := t.exec(ctx, `INSERT INTO product_grant (provider_id, product_id, granted) VALUES (?, ?, ?)
			ON CONFLICT (provider_id, product_id) DO UPDATE SET granted = excluded.granted`, p, id, granted); err != nil {
			return err
		}
	}
	return nil
}

// CreatePartner implements accounts.RegistryStore.
func (db *DB) CreatePartner(ctx context.Context, p domain.Partner) (domain.Partner, error) {
	err := db.write(ctx, func(ctx context.Context, t *tx) error {
		return t.explainDuplicate("", t.insertReturningID(ctx, &p.ID, `INSERT INTO partner (name, driver, url, delay, failure_rate, secret, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			p.Name, string(p.Driver), p.URL, int64(p.Delay), p.FailureRate, p.Secret, micros(p.CreatedAt)), "a partner of this name exists")
	})
	return p, err
}

// UpdatePartner implements accounts.RegistryStore.
func (db *DB) UpdatePartner(ctx context.Context, name string, fn func(*domain.Partner) error) (p domain.Partner, err error) {
	err = db.write(ctx, func(ctx context.Context, t *tx) error {
		found, err := queryRow(ctx, t, `SELECT `+partnerColumns+` FROM partner WHERE name = ?`+t.dialect().forUpdate, []any{name}, partnerTargets(&p)...)
		if err == nil && !found {
			err = &domain.Error{Code: domain.NotFound, Message: "no partner has this name"}
		}
		if err == nil {
			err = fn(&p)
		}
		if err != nil {
			return err
		}
		return t.exec(ctx, `UPDATE partner SET url = ?, delay = ?, failure_rate = ?, secret = ? WHERE id = ?`, p.URL, int64(p.Delay), p.FailureRate, p.Secret, p.ID)
	})
	return p, err
}

const partnerColumns = `id, name, driver, url, delay, failure_rate, secret, created_at`

func partnerTargets(p *domain.Partner) []any {
	return []any{&p.ID, &p.Name, &p.Driver, &p.URL, &p.Delay, &p.FailureRate, &p.Secret, asTime(&p.CreatedAt)}
}

// Partners implements server.Store.
func (db *DB) Partners(ctx context.Context) ([]domain.Partner, error) {
	return list(ctx, db.read, partnerTargets, `SELECT `+partnerColumns+` FROM partner ORDER BY id`)
}

// InternetSpeeds implements server.Store.
func (db *DB) InternetSpeeds(ctx context.Context) ([]domain.InternetSpeed, error) {
	return list(ctx, db.read, func(s *domain.InternetSpeed) []any { return []any{&s.ID, &s.Speed, &s.Slug} },
		`SELECT id, speed, slug FROM internet_speed ORDER BY id`)
}

// CreateInternetSpeed implements accounts.RegistryStore.
func (db *DB) CreateInternetSpeed(ctx context.Context, s domain.InternetSpeed) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		return t.explainDuplicate(domain.SubjectSpeed, t.exec(ctx, `INSERT INTO internet_speed (id, speed, slug) VALUES (?, ?, ?)`, s.ID, s.Speed, s.Slug), "this internet speed exists")
	})
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

// Brands implements accounts.RegistryStore.
func (db *DB) Brands(ctx context.Context, providers []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error) {
	return brands(ctx, db.read, providers)
}

func brands(ctx context.Context, q querier, providers []domain.ProviderID) (map[domain.ProviderID]domain.Brand, error) {
	return mapByKeys(ctx, q, func(b *domain.Brand) []any {
		return []any{&b.Provider, &b.DisplayName, (*[]byte)(&b.Logo), &b.Color, &b.Phone}
	}, `SELECT provider_id, display_name, logo, color, phone FROM brand WHERE provider_id %s`, providers, func(b *domain.Brand) domain.ProviderID { return b.Provider })
}
