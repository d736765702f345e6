package store

import (
	"cmp"
	"context"
	"math"
	"time"

	"ativa/internal/service/domain"
)

const scheduleFields = `id, service_id, product_id, operation, due_at, state, token_id, created_at, ended_at, code`

const scheduleColumns = `c.id, c.service_id, c.product_id, c.operation, c.due_at, c.state, c.token_id, c.created_at, c.ended_at, c.code`

func scheduleTargets(s *domain.Schedule) []any {
	return []any{fastInt(&s.ID), fastInt(&s.Service), fastInt(&s.ProductID), fastInt(&s.Request), asTime(&s.At), fastInt(&s.State),
		fastInt(&s.Token), asTime(&s.CreatedAt), asTime(&s.EndedAt), &s.Code}
}

// WaitingSchedules implements rules.Tx.
func (t *tx) WaitingSchedules(ctx context.Context, services []domain.ServiceID) ([]domain.Schedule, error) {
	return listByKeys(ctx, t, scheduleTargets, `SELECT `+scheduleColumns+`
		FROM schedule c
		WHERE c.`+isWaiting+` AND c.service_id %s
		ORDER BY c.id`, services)
}

func (t *tx) insertSchedules(ctx context.Context, all []*domain.Schedule) error {
	return insert(ctx, t, `schedule`, scheduleFields, all, func(row []any, s *domain.Schedule) []any {
		return append(row, int64(s.ID), int64(s.Service), int64(s.ProductID), int64(s.Request), micros(s.At), int64(s.State), int64(s.Token),
			micros(s.CreatedAt), micros(s.EndedAt), string(s.Code))
	})
}

func (t *tx) updateSchedules(ctx context.Context, all []*domain.Schedule) error {
	return update(ctx, t, `UPDATE schedule SET product_id = ?, state = ?, code = ?, ended_at = ? WHERE id = ?`, all, func(row []any, s *domain.Schedule) []any {
		return append(row, int64(s.ProductID), int64(s.State), string(s.Code), micros(s.EndedAt), int64(s.ID))
	})
}

// DueSchedules implements rules.Store.
func (db *DB) DueSchedules(ctx context.Context, now time.Time, n int, except []domain.ProviderID) ([]domain.Schedule, error) {
	var c whereClause
	c.add(`c.`+isWaiting+` AND c.due_at <= ?`, micros(now))
	addIn(&c, db.read.dialect(), `NOT c.id >> `+recordBits, except)
	return list(ctx, db.read, scheduleTargets, `SELECT `+scheduleColumns+`
		FROM schedule c`+c.sql()+`
		ORDER BY c.due_at, c.id LIMIT ?`, append(c.args, n)...)
}

// Schedules implements reports.Store.
func (db *DB) Schedules(ctx context.Context, q domain.ScheduleQuery) ([]domain.Schedule, error) {
	c := schedulesOf(q.Provider, q.Subscriber)
	id := `c.id`
	if q.Subscriber != 0 {
		id = `+c.id` // by itself, or the plan might read all rows in the order of ids
	}
	c.add(id+` > ?`, q.After)
	return list(ctx, db.read, func(s *domain.Schedule) []any {
		return append(scheduleTargets(s), &s.ActorName, asDocument(&s.Document))
	}, `SELECT `+scheduleColumns+`, COALESCE(t.name, ''), (SELECT s.document FROM subscriber s WHERE s.id = c.service_id >> `+tokenBits+`)
		FROM schedule c
		LEFT JOIN access_token t ON t.id = c.token_id`+c.sql()+`
		ORDER BY `+id+` LIMIT ? OFFSET ?`, append(c.args, cmp.Or(q.Limit, math.MaxInt), q.Offset)...)
}

// SchedulePage implements server.Store.
func (db *DB) SchedulePage(ctx context.Context, q domain.ScheduleQuery) ([]domain.Schedule, int, error) {
	c, total := schedulesOf(q.Provider, q.Subscriber), 0
	if _, err := queryRow(ctx, db.read, `SELECT COUNT(*) FROM schedule c`+c.sql(), c.args, &total); err != nil {
		return nil, 0, err
	}
	page, err := db.Schedules(ctx, q)
	return page, total, err
}

// schedulesOf selects the schedules of a provider, or of one of its subscribers.
func schedulesOf(p domain.ProviderID, id domain.SubscriberID) (c whereClause) {
	if id == 0 {
		first, last := p.Records()
		c.add(`c.id BETWEEN ? AND ?`, first, last)
		return c
	}
	first, last := id.Services()
	c.add(`c.service_id BETWEEN ? AND ?`, first, last)
	return c
}
