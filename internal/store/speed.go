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
func (db *DB) CreateInternetSpeed(ctx context.Context, s provision.InternetSpeed) (provision.InternetSpeed, error) {
	err := db.change(ctx, func(ctx context.Context, t *tx) error {
		if t.dialect().arrays { // two that add at once would take the same id
			if err := t.exec(ctx, `LOCK TABLE internet_speed IN SHARE ROW EXCLUSIVE MODE`); err != nil {
				return err
			}
		}
		return t.taken(t.create(ctx, &s.ID, `INSERT INTO internet_speed (id, speed, slug) SELECT MAX(id) + 1, ?, ? FROM internet_speed`, s.Speed, s.Slug),
			"this internet speed exists")
	})
	return s, err
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
