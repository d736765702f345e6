package store

import (
	"context"

	"ativa/internal/service/domain"
)

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

// SpeedIDs implements rules.Tx. It reads the ids once for all writes of the transaction,
// because none is ever removed.
func (t *tx) SpeedIDs(ctx context.Context) (map[int]bool, error) {
	if t.speeds != nil {
		return t.speeds, nil
	}
	ids, err := list(ctx, t, only[int], `SELECT id FROM internet_speed`)
	if err != nil {
		return nil, err
	}
	t.speeds = map[int]bool{}
	for _, id := range ids {
		t.speeds[id] = true
	}
	return t.speeds, nil
}
