package store

import (
	"context"
	"time"

	"ativa/internal/service/domain"
)

func (t *tx) beginIntervals(ctx context.Context, all []domain.EnabledInterval) error {
	for _, i := range all {
		begin := micros(i.Begin)
		err := t.queue(ctx, `INSERT INTO enabled_interval (service_id, product_id, begin_at, begin_event)
			VALUES (?, ?, COALESCE((SELECT MAX(end_at) FROM enabled_interval WHERE service_id = ? AND end_at > ?), ?), ?)`,
			i.Service, i.ProductID, i.Service, begin, begin, i.BeginEvent)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) endIntervals(ctx context.Context, all []domain.EnabledInterval) error {
	for _, i := range all {
		end := micros(i.End)
		err := t.queue(ctx, `UPDATE enabled_interval
			SET end_at = CASE WHEN begin_at > ? THEN begin_at ELSE ? END, end_event = ?
			WHERE service_id = ? AND end_event IS NULL`, end, end, i.EndEvent, i.Service)
		if err != nil {
			return err
		}
	}
	return nil
}

// Intervals implements reports.Store.
func (db *DB) Intervals(ctx context.Context, id domain.SubscriberID) ([]domain.EnabledInterval, error) {
	first, last := id.Services()
	return list(ctx, db.read, intervalTargets,
		`SELECT `+intervalColumns+` FROM enabled_interval i WHERE i.service_id BETWEEN ? AND ? ORDER BY i.service_id, i.begin_event`, first, last)
}

// EachInterval implements reports.Store.
func (db *DB) EachInterval(ctx context.Context, p domain.ProviderID, q domain.IntervalQuery, fn func(*domain.ServiceInterval) error) error {
	first, last := p.Subscribers()
	before, _ := first.Services()
	_, end := last.Services()
	ids := idRange{`enabled_interval`, `service_id`, int64(before), int64(end), listBatch * (domain.MaxTokens + 1)}
	return eachBatch(ctx, db.read, ids, func(ctx context.Context, after, last int64) ([]domain.ServiceInterval, error) {
		args := []any{after + 1, last, q.LastEvent, micros(q.To), q.LastEvent, micros(q.From)}
		if q.Tokens {
			return list(ctx, db.read, serviceIntervalTargets, intervalsOfServices, append([]any{after + 1, last}, args...)...)
		}
		return list(ctx, db.read, func(i *domain.ServiceInterval) []any { return intervalTargets(&i.EnabledInterval) }, intervals, args...)
	}, func(i *domain.ServiceInterval) error {
		if i.EndEvent > q.LastEvent {
			i.EndEvent, i.End = 0, time.Time{}
		}
		return fn(i)
	})
}

const (
	intervalColumns = `i.service_id, i.product_id, i.begin_at, i.end_at, i.begin_event, COALESCE(i.end_event, 0)`

	// whereInterval selects the intervals of a range of services that overlap a period.
	whereInterval = `i.service_id BETWEEN ? AND ? AND i.begin_event <= ? AND i.begin_at < ? AND (i.end_event IS NULL OR i.end_event > ? OR i.end_at >= ?)
		ORDER BY i.service_id, i.begin_event`

	intervals = `SELECT ` + intervalColumns + `
		FROM enabled_interval i
		WHERE ` + whereInterval

	// The range restricts both tables, so that no query plan reads more.
	intervalsOfServices = `SELECT ` + intervalColumns + `, v.created_at, v.status_id, (SELECT s.document FROM subscriber s WHERE s.id = i.service_id >> ` + tokenBits + `)
		FROM enabled_interval i
		JOIN service v ON v.id = i.service_id
		WHERE v.id BETWEEN ? AND ? AND ` + whereInterval
)

func intervalTargets(i *domain.EnabledInterval) []any {
	return []any{fastInt(&i.Service), fastInt(&i.ProductID), asTime(&i.Begin), asTime(&i.End), fastInt(&i.BeginEvent), fastInt(&i.EndEvent)}
}

func serviceIntervalTargets(i *domain.ServiceInterval) []any {
	return append(intervalTargets(&i.EnabledInterval), asTime(&i.CreatedAt), fastInt(&i.Status), asDocument(&i.Document))
}

// EachIntervalEdge implements reports.Store. Each statement reads a bounded number
// of events, so it sorts a bounded number of rows.
func (db *DB) EachIntervalEdge(ctx context.Context, first domain.EventID, q domain.IntervalQuery, fn func(domain.IntervalEdge)) error {
	const batch = 10_000
	from, to := micros(q.From), micros(q.To)
	for first <= q.LastEvent {
		last, empty := min(first+batch-1, q.LastEvent), true
		err := db.read.query(ctx, intervalEdges, []any{first, last, from, to, first, last, from, to}, func(r row) error {
			var e domain.IntervalEdge
			var event domain.EventID
			err := r.Scan(fastInt(&event), fastInt(&e.ProductID), fastInt(&e.Change))
			empty = false
			fn(e)
			return err
		})
		if err != nil {
			return err
		}
		if first = last + 1; empty && first <= q.LastEvent {
			// A restored database has a gap of millions of events.
			found, err := queryRow(ctx, db.read, nextIntervalEdge, []any{first, q.LastEvent, first, q.LastEvent}, &first)
			if err != nil || !found {
				return err
			}
		}
	}
	return nil
}

// nextIntervalEdge selects the first event of a range that begins or ends an interval.
const nextIntervalEdge = `SELECT event
	FROM (
		SELECT MIN(begin_event) AS event FROM enabled_interval WHERE begin_event BETWEEN ? AND ?
		UNION ALL
		SELECT MIN(end_event) FROM enabled_interval WHERE end_event BETWEEN ? AND ? AND end_event IS NOT NULL
	) edge
	WHERE event IS NOT NULL
	ORDER BY event LIMIT 1`

const intervalEdges = `SELECT begin_event, product_id, 1
	FROM enabled_interval
	WHERE begin_event BETWEEN ? AND ? AND begin_at >= ? AND begin_at < ?
	UNION ALL
	SELECT end_event, product_id, -1
	FROM enabled_interval
	WHERE end_event BETWEEN ? AND ? AND end_event IS NOT NULL AND end_at >= ? AND end_at < ?
	ORDER BY 1`
