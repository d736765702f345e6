package store

import (
	"context"

	"ativa/internal/service/domain"
)

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

// Products implements rules.Tx. During a write the products cannot change.
func (t *tx) Products(ctx context.Context) (map[int]domain.Offer, error) {
	if err := t.lock(ctx, t.shareProducts); err != nil {
		return nil, err
	}
	offers, err := list(ctx, t, func(o *domain.Offer) []any {
		return []any{&o.ID, &o.Name, &o.Code, &o.Family, &o.Active, &o.Can, &o.Partner, &o.RequestsActivation, &o.Granted}
	}, `SELECT p.id, p.name, p.code, p.family, p.active, p.can, p.partner_id,
		COALESCE(a.driver = 'http', FALSE), COALESCE(g.granted, ?)
		FROM product p LEFT JOIN partner a ON a.id = p.partner_id
		LEFT JOIN product_grant g ON g.product_id = p.id AND g.provider_id = ?`, t.provider.AllProducts, t.provider.ID)
	byID := make(map[int]domain.Offer, len(offers))
	for _, o := range offers {
		byID[o.ID] = o
	}
	return byID, err
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
		WHERE status_id IN (?, ?) AND previous_product_id + requested_product_id <> 0 AND ? IN (product_id, previous_product_id, requested_product_id) LIMIT 1`,
		domain.Changed, domain.InError, product)
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
