package store

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

// LinkByHash implements rules.Store.
func (db *DB) LinkByHash(ctx context.Context, hash [32]byte) (domain.Link, bool, error) {
	l := domain.Link{Hash: hash}
	found, err := queryRow(ctx, db.read, `SELECT l.delivery_id, l.service_id, l.email_number, l.expires_at, l.used_at, COALESCE(j.opened_at, 0) > 0
		FROM activation_link l LEFT JOIN delivery j ON j.service_id = l.service_id AND j.id = l.delivery_id WHERE l.hash = ?`, []any{hash[:]},
		&l.Delivery, &l.Service, &l.EmailNumber, asTime(&l.ExpiresAt), asTime(&l.UsedAt), &l.Opened)
	return l, found, err
}

// MarkOpened implements rules.Store.
func (db *DB) MarkOpened(ctx context.Context, l domain.Link, at time.Time) error {
	return db.exec(ctx, `UPDATE delivery SET opened_at = ? WHERE service_id = ? AND id = ? AND opened_at = 0`, micros(at), l.Service, l.Delivery)
}

func (t *tx) MarkLinkUsed(ctx context.Context, hash [32]byte, at time.Time) error {
	return t.queue(ctx, `UPDATE activation_link SET used_at = ? WHERE hash = ?`, micros(at), hash[:])
}
