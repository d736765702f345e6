package store

import (
	"context"

	"ativa/internal/provision"
)

// InternetSpeeds implements provision.Reader.
func (db *DB) InternetSpeeds(ctx context.Context) ([]provision.InternetSpeed, error) {
	return list(ctx, db.read, func(r row, s *provision.InternetSpeed) error { return r.Scan(&s.ID, &s.Speed, &s.Slug) },
		`SELECT id, speed, slug FROM internet_speed ORDER BY id`)
}

// CreateInternetSpeed implements provision.Registry.
func (db *DB) CreateInternetSpeed(ctx context.Context, s provision.InternetSpeed) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		return t.explainDuplicate(t.exec(ctx, `INSERT INTO internet_speed (id, speed, slug) VALUES (?, ?, ?)`, s.ID, s.Speed, s.Slug), "this internet speed exists")
	})
}

// SpeedIDs implements provision.Tx.
func (t *tx) SpeedIDs(ctx context.Context) (map[int]bool, error) {
	all := map[int]bool{}
	err := t.query(ctx, `SELECT id FROM internet_speed`, nil, func(r row) error {
		var id int
		err := r.Scan(&id)
		all[id] = true
		return err
	})
	return all, err
}
