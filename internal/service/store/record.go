package store

import (
	"context"
	"slices"
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
	all, err := list(ctx, db.read, func(r row, e *domain.RecordEntry) error {
		var at int64
		err := r.Scan(&at, &e.User, &e.Host, &e.Command, &e.Arguments, &e.Failed)
		e.At, e.Count = fromMicros(at), 1
		return err
	}, `SELECT at, os_user, host, command, arguments, failed FROM operator_record WHERE at >= ? ORDER BY at, id`, micros(since))
	if err != nil {
		return nil, err
	}
	refused, err := list(ctx, db.read, func(r row, e *domain.RecordEntry) error {
		var hour int64
		err := r.Scan(&hour, &e.Address, &e.Command, &e.Count)
		e.At, e.Failed = fromMicros(hour), true
		return err
	}, `SELECT hour, address, request, count FROM refused_request WHERE hour >= ? ORDER BY hour, address, request`, micros(since))
	all = append(all, refused...)
	slices.SortStableFunc(all, func(a, b domain.RecordEntry) int { return a.At.Compare(b.At) })
	return all, err
}
