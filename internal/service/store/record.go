package store

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

// AddRecord implements accounts.RecordStore.
func (db *DB) AddRecord(ctx context.Context, e domain.RecordEntry) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error { return t.addRecord(ctx, e) })
}

func (t *tx) addRecord(ctx context.Context, e domain.RecordEntry) error {
	return t.exec(ctx, `INSERT INTO operator_record (at, os_user, host, command, arguments, failed) VALUES (?, ?, ?, ?, ?, ?)`,
		micros(e.At), cleanText(e.User), cleanText(e.Host), e.Command, cleanText(e.Arguments), e.Failed)
}

// CountRefused implements accounts.RecordStore.
func (db *DB) CountRefused(ctx context.Context, all []domain.RecordEntry) error {
	return db.write(ctx, func(ctx context.Context, t *tx) error {
		for _, e := range all {
			err := t.exec(ctx, `INSERT INTO refused_request (hour, address, request, count) VALUES (?, ?, ?, ?)
				ON CONFLICT (hour, address, request) DO UPDATE SET count = refused_request.count + excluded.count`,
				micros(e.At), cleanText(e.Address), e.Command, e.Count)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Record returns the entries of the operator's record and the counts of refused requests since a
// time, the oldest first.
func (db *DB) Record(ctx context.Context, since time.Time) ([]domain.RecordEntry, error) {
	var id int64 // only for the order
	return list(ctx, db.read, func(e *domain.RecordEntry) []any {
		return []any{asTime(&e.At), &e.Address, &id, &e.User, &e.Host, &e.Command, &e.Arguments, &e.Failed, &e.Count}
	}, `SELECT at, '', id, os_user, host, command, arguments, failed, 1
		FROM operator_record
		WHERE at >= ?
		UNION ALL
		SELECT hour, address, 0, '', '', request, '', TRUE, count
		FROM refused_request
		WHERE hour >= ?
		ORDER BY 1, 2, 3, 6`, micros(since), micros(since.Truncate(time.Hour)))
}
