package store

import (
	"context"

	"ativa/internal/service/domain"
)

const partnerColumns = `id, name, driver, url, delay, failure_rate, secret, created_at`

func partnerTargets(p *domain.Partner) []any {
	return []any{&p.ID, &p.Name, &p.Driver, &p.URL, &p.Delay, &p.FailureRate, &p.Secret, asTime(&p.CreatedAt)}
}

// Partners implements server.Store.
func (db *DB) Partners(ctx context.Context) ([]domain.Partner, error) {
	return list(ctx, db.read, partnerTargets, `SELECT `+partnerColumns+` FROM partner ORDER BY id`)
}

// CreatePartner implements accounts.RegistryStore.
func (db *DB) CreatePartner(ctx context.Context, p domain.Partner) (domain.Partner, error) {
	err := db.write(ctx, func(ctx context.Context, t *tx) error {
		return t.explainDuplicate(domain.SubjectPartner, t.insertReturningID(ctx, &p.ID, `INSERT INTO partner (name, driver, url, delay, failure_rate, secret, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			p.Name, string(p.Driver), p.URL, int64(p.Delay), p.FailureRate, p.Secret, micros(p.CreatedAt)), "a partner of this name exists")
	})
	return p, err
}

// UpdatePartner implements accounts.RegistryStore.
func (db *DB) UpdatePartner(ctx context.Context, name string, fn func(*domain.Partner) error) (p domain.Partner, err error) {
	err = db.write(ctx, func(ctx context.Context, t *tx) error {
		found, err := queryRow(ctx, t, `SELECT `+partnerColumns+` FROM partner WHERE name = ?`+t.dialect().forUpdate, []any{name}, partnerTargets(&p)...)
		if err == nil && !found {
			err = &domain.Error{Code: domain.NotFound, Message: "no partner has this name", Subject: domain.SubjectPartner}
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
